// Where a marked passage stands in a text that is counted in characters, as the server counts them.

export const MOST = 4000;

/** How many characters a text has: an emoji is one, though a script counts two. */
export function length(text) {
  return [...text].length;
}

/**
 * The places of a passage: from `before` characters into one paragraph up to so far into another.
 * Spaces at both ends are left out, as the server leaves them out. Null if nothing is left.
 */
export function places(first, before, last, upto, words) {
  if (!words.trim()) return null;
  const lead = length(words) - length(words.trimStart());
  const trail = length(words) - length(words.trimEnd());
  const start = first + length(before) + lead;
  const end = last + length(upto) - trail;
  return start < end ? { start, end } : null;
}

/** The address of the editor with the passage, or nothing if it is too long. */
export function address(make, found) {
  return found && found.end - found.start <= MOST ? `${make}${found.start}-${found.end}` : "";
}
