/** Command lines as a page shows them, taken apart as a shell would: as much of it as the pages use. */

/** The simple commands of a block of shell: comments gone, quotes resolved, redirections left out. */
export function shellCommands(block: string): string[][] {
  const commands: string[][] = [];
  for (const line of block.replace(/\\\n/g, ' ').split('\n')) {
    let words: string[] = [];
    let isTarget = false;
    for (const [token, single, double, comment, control, redirection, word] of tokensOf(line)) {
      if (comment !== undefined) break;
      if (control !== undefined) {
        commands.push(words);
        words = [];
      } else if (redirection !== undefined) {
        isTarget = true;
      } else if (isTarget) {
        isTarget = false;
      } else {
        words.push(single ?? double ?? word ?? token);
      }
    }
    commands.push(words);
  }
  return commands.filter((words) => words.length > 0);
}

const tokensOf = (line: string) =>
  line.matchAll(
    /'([^']*)'(?=\s|$)|"([^"]*)"(?=\s|$)|(#.*)|(\|\||&&|[|;&])|(\d?>>?(?:&\d)?|<)|((?:[^\s'"|;&<>]|'[^']*'|"[^"]*")+)/g,
  );
