import type { Mail } from "./mail.ts";

/** What a mail says, before it is a mail. */
export type Letter = Readonly<{
  subject: string;
  paragraphs: readonly string[];
  /** A code, shown large. */
  code?: string;
  /** A button that opens an address. */
  link?: Readonly<{ label: string; address: string }>;
}>;

const FONT = "font-family:-apple-system,'Segoe UI','PingFang SC','Microsoft YaHei',sans-serif";
const BUTTON = "display:inline-block;padding:10px 18px;border-radius:8px;background:#0f766e;color:#fff";

/** The letter as a mail, in plain text and in HTML in which nothing of it is markup. */
export function writeMail(to: string, letter: Letter): Mail {
  const { subject, paragraphs, code, link } = letter;
  const text = [...paragraphs, ...(code ? [code] : []), ...(link ? [`${link.label}: ${link.address}`] : [])];
  const html = [
    ...paragraphs.map((paragraph) => `<p style="margin:0 0 16px">${Bun.escapeHTML(paragraph)}</p>`),
    ...(code
      ? [`<p style="margin:0 0 16px;font:600 28px/40px monospace;letter-spacing:6px">${Bun.escapeHTML(code)}</p>`]
      : []),
    ...(link
      ? [
          `<p style="margin:0 0 16px"><a href="${Bun.escapeHTML(link.address)}" style="${BUTTON};text-decoration:none">${Bun.escapeHTML(link.label)}</a></p>`,
          `<p style="margin:0 0 16px;font-size:12px;color:#64748b;word-break:break-all">${Bun.escapeHTML(link.address)}</p>`,
        ]
      : []),
  ];
  return {
    to,
    subject,
    text: text.join("\n\n"),
    html: `<!doctype html><html><body style="margin:0;padding:32px 24px;${FONT};font-size:15px;line-height:24px;color:#0f172a">${html.join("")}</body></html>`,
  };
}
