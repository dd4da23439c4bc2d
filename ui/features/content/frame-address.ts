/** The address when the text is nothing but one https address, which is then shown in a frame; else null. */
export function frameAddress(text: string): string | null {
  const given = text.trim();
  if (!/^https:\/\/\S+$/i.test(given)) return null;
  return URL.parse(given)?.href ?? null;
}
