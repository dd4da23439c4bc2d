/** Channels of a batch that the log names one by one. */
export const MAX_REPORTED = 100;

/** A field of each channel of a batch, by the channel's name. */
export const valuesByChannel = <Row extends Readonly<{ id: number; name: string }>>(
  rows: readonly Row[],
  describe: (row: Row) => unknown,
): Record<string, unknown> =>
  Object.fromEntries(rows.slice(0, MAX_REPORTED).map((row) => [`${row.name} (#${row.id})`, describe(row)]));
