/** Whether a text is a pattern for names, as the gateway reads it: `*` in it, or a regular expression after `re:`. */
export const isNamePattern = (text: string): boolean => text.includes("*") || text.startsWith("re:");
