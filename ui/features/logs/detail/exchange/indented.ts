/** JSON over several lines; a text that was cut and is no JSON any more stays as it is. */
export function indented(text: string): string {
  try {
    return `${JSON.stringify(JSON.parse(text), null, 2)}\n`;
  } catch {
    return `${text}\n`;
  }
}
