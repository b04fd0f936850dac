export const isHtml = (contentType: string): boolean =>
  /^(?:text\/html|application\/xhtml\+xml|)$/.test(contentType.split(';', 1)[0].trim().toLowerCase());
