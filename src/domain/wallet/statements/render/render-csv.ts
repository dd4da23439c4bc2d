import type { Language } from "../../../../lib/messages.ts";
import { type CsvCell, csvOf } from "../../../../lib/values/csv.ts";
import type { StatementDocument } from "../documents.ts";
import { factsOf, tablesOf, titleOf } from "./present-statement.ts";

/** A document as CSV: its facts, then its tables below each other. */
export const renderCsv = (document: StatementDocument, language: Language): ReadableStream<Uint8Array> =>
  csvOf([titleOf(document, language)], slices(document, language));

async function* slices(document: StatementDocument, language: Language): AsyncGenerator<CsvCell[][]> {
  yield factsOf(document, language).map((fact) => [...fact]);
  for (const { title, head, rows, textColumns } of tablesOf(document, language)) {
    // Amounts are numbers to a spreadsheet: text that begins with a minus would be quoted as a formula.
    const cells = rows.map((row) => row.map((cell, column) => (column < textColumns ? cell : numberOf(cell))));
    yield [[], [title], [...head], ...cells];
  }
}

const numberOf = (text: string): CsvCell => (/^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text);
