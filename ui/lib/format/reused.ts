/** Makes a format once for each choice of language and options: making one takes far longer than using it. */
export function reused<Choice extends readonly unknown[], Format>(
  make: (...choice: Choice) => Format,
): (...choice: Choice) => Format {
  const made = new Map<string, Format>();
  return (...choice) => {
    const key = JSON.stringify(choice);
    const format = made.get(key) ?? make(...choice);
    made.set(key, format);
    return format;
  };
}
