/** What the `role` of an element says about the frame of a page (ARIA landmarks). */

/** Roles of elements, by row, that a scan notes when it is asked for Markdown. */
export const Role = { none: 0, main: 1, frame: 2 } as const;

const FRAME_ROLES = /^(?:navigation|banner|contentinfo|complementary|search)$/;

export function roleOf(value: string | null): number {
  const role = value?.trim().toLowerCase() ?? '';
  if (role === 'main') return Role.main;
  return FRAME_ROLES.test(role) ? Role.frame : Role.none;
}
