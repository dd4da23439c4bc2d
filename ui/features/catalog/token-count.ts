/** Tokens as people say them: 128K, 1M; exact where that is not a round number. */
export function tokenCount(tokens: number): string {
  for (const [unit, letter] of [
    [1_000_000, "M"],
    [1000, "K"],
  ] as const) {
    if (tokens >= unit && tokens % (unit / 10) === 0) return `${tokens / unit}${letter}`;
  }
  for (const [unit, letter] of [
    [1_048_576, "M"],
    [1024, "K"],
  ] as const) {
    if (tokens >= unit && tokens % unit === 0) return `${tokens / unit}${letter}`;
  }
  return tokens.toLocaleString("en");
}
