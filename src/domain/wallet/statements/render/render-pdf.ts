import type { Party } from "../../../../../db/schema/wallet/statements.ts";
import { type Language, say } from "../../../../lib/messages.ts";
import { OutboundError } from "../../../../lib/outbound/outbound-error.ts";
import type { SafeFetch } from "../../../../lib/outbound/safe-fetch.ts";
import { readPacked } from "../../../../lib/runtime/packed-files.ts";
import type { SettingsReader } from "../../../../settings/settings.ts";
import type { StatementDocument } from "../documents.ts";
import { factsOf, type StatementTable, tablesOf, titleOf } from "./present-statement.ts";

type Pdf = PDFKit.PDFDocument;

const MARGIN = 48;
const TEXT = "#1a1d21";
const SOFT = "#5c6470";
const LINE = "#d7dbe0";
const SIZE = { title: 20, section: 11, text: 9, note: 8 } as const;
const ROW = 16;
const LOGO = { width: 160, height: 40 } as const;

/** Renders a document as PDF (A4). `logo`: a PNG or JPEG for its head. */
export async function renderPdf(
  document: StatementDocument,
  language: Language,
  logo: Uint8Array | null,
): Promise<Uint8Array> {
  const { default: PDFDocument } = await import("pdfkit");
  const pdf = new PDFDocument({
    size: "A4",
    margin: MARGIN,
    bufferPages: true,
    // One font for all languages; pdfkit embeds only the glyphs that are used.
    font: (await readPacked("font.ttf")) as unknown as string,
    info: { Title: [titleOf(document, language), document.number ?? document.month].join(" ") },
  });
  const parts: Uint8Array[] = [];
  pdf.on("data", (part: Uint8Array) => parts.push(part));
  const ended = new Promise<void>((resolve) => pdf.on("end", resolve));
  drawHead(pdf, document, language, logo);
  for (const table of tablesOf(document, language)) drawTable(pdf, table);
  drawNotes(pdf, document, language);
  drawPageNumbers(pdf, language);
  pdf.end();
  await ended;
  return new Uint8Array(await new Blob(parts as BlobPart[]).arrayBuffer());
}

function drawHead(pdf: Pdf, document: StatementDocument, language: Language, logo: Uint8Array | null): void {
  const { width } = pdf.page;
  if (logo) {
    try {
      pdf.image(logo as Buffer, MARGIN, MARGIN, { fit: [LOGO.width, LOGO.height] });
    } catch {
      // Not an image that PDF knows: the document goes without.
    }
  }
  const top = MARGIN + (logo ? LOGO.height + 16 : 0);
  pdf.fillColor(TEXT).fontSize(SIZE.title).text(titleOf(document, language), MARGIN, top);
  pdf.fontSize(SIZE.text);
  let y = top;
  for (const [name, value] of factsOf(document, language)) {
    pdf.fillColor(SOFT).text(name, width - MARGIN - 240, y, { width: 110 });
    pdf.fillColor(TEXT).text(value, width - MARGIN - 125, y, { width: 125, align: "right" });
    y += ROW;
  }
  const below = Math.max(y, top + 36) + 12;
  const half = (width - 2 * MARGIN) / 2;
  const { issuer, recipient } = document.content;
  const left = drawParty(pdf, say("statement_issuer", language), issuer, language, MARGIN, below, half);
  const right = drawParty(pdf, say("statement_recipient", language), recipient, language, MARGIN + half, below, half);
  pdf.x = MARGIN;
  pdf.y = Math.max(left, right) + 12;
}

function drawParty(
  pdf: Pdf,
  role: string,
  party: Party,
  language: Language,
  x: number,
  y: number,
  width: number,
): number {
  const lines = [
    party.name,
    party.address,
    ...(party.taxId ? [`${say("statement_tax_id", language)}: ${party.taxId}`] : []),
  ].filter((line) => line !== "");
  pdf
    .fillColor(SOFT)
    .fontSize(SIZE.note)
    .text(role, x, y, { width: width - 12 });
  pdf.fillColor(TEXT).fontSize(SIZE.text);
  for (const line of lines) pdf.text(line, { width: width - 12 });
  return pdf.y;
}

/** Amounts are as wide as their column, the first column takes the rest; a table goes on on the next page. */
function drawTable(pdf: Pdf, { title, head, rows, textColumns }: StatementTable): void {
  const inner = pdf.page.width - 2 * MARGIN;
  const others = head.length - 1;
  const column = Math.min(92, (inner * 0.68) / others);
  const first = inner - column * others;
  const xOf = (index: number) => (index === 0 ? MARGIN : MARGIN + first + column * (index - 1));
  const drawRow = (cells: readonly string[], color: string) => {
    const y = pdf.y;
    pdf.fillColor(color).fontSize(SIZE.text);
    for (const [index, cell] of cells.entries()) {
      pdf.text(cell, xOf(index), y, {
        width: (index === 0 ? first : column) - 6,
        height: ROW,
        align: index < textColumns ? "left" : "right",
        ellipsis: true,
        lineBreak: false,
      });
    }
    pdf.y = y + ROW;
    pdf
      .moveTo(MARGIN, pdf.y - 3)
      .lineTo(MARGIN + inner, pdf.y - 3)
      .lineWidth(0.5)
      .strokeColor(LINE)
      .stroke();
  };
  breakBefore(pdf, 4 * ROW);
  pdf
    .fillColor(TEXT)
    .fontSize(SIZE.section)
    .text(title, MARGIN, pdf.y + 10);
  pdf.y += 4;
  drawRow(head, SOFT);
  for (const row of rows) {
    if (breakBefore(pdf, ROW)) drawRow(head, SOFT);
    drawRow(row, TEXT);
  }
}

function drawNotes(pdf: Pdf, document: StatementDocument, language: Language): void {
  const { kind, month, number, content } = document;
  breakBefore(pdf, 3 * ROW);
  pdf.y += 12;
  pdf.fillColor(SOFT).fontSize(SIZE.note);
  if (kind === "correction") pdf.text(say("statement_corrects", language, { month }), MARGIN);
  if (number === null) pdf.text(say("statement_draft", language), MARGIN);
  pdf.text(say("statement_unit_note", language, { units: content.unitsPerDollar }), MARGIN);
}

function drawPageNumbers(pdf: Pdf, language: Language): void {
  const { count } = pdf.bufferedPageRange();
  for (let page = 0; page < count; page++) {
    pdf.switchToPage(page);
    // Below the margin, where text would otherwise begin a new page.
    pdf.page.margins.bottom = 0;
    pdf
      .fillColor(SOFT)
      .fontSize(SIZE.note)
      .text(say("statement_page", language, { page: page + 1, pages: count }), MARGIN, pdf.page.height - 32, {
        width: pdf.page.width - 2 * MARGIN,
        align: "right",
        lineBreak: false,
      });
  }
}

/** Begins a new page unless `height` more points fit. Returns whether it did. */
function breakBefore(pdf: Pdf, height: number): boolean {
  if (pdf.y + height <= pdf.page.height - MARGIN) return false;
  pdf.addPage();
  pdf.y = MARGIN;
  return true;
}

const TIMEOUT_MS = 3000;
const MAX_BYTES = 1024 * 1024;
const PNG = [0x89, 0x50, 0x4e, 0x47];
const JPEG = [0xff, 0xd8, 0xff];

/** The site's logo as PNG or JPEG, from the address in the option `Logo`; null: there is none, or it can't be had. */
export async function readLogo({
  settings,
  fetch,
}: Readonly<{ settings: SettingsReader; fetch: SafeFetch }>): Promise<Uint8Array | null> {
  const address = settings.get("Logo");
  if (!/^https?:\/\//i.test(address)) return null;
  try {
    const { status, body } = await fetch(address, { timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES });
    return status === 200 && [PNG, JPEG].some((magic) => magic.every((byte, index) => body[index] === byte))
      ? body
      : null;
  } catch (error) {
    if (error instanceof OutboundError) return null;
    throw error;
  }
}
