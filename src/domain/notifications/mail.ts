import { isIP } from "node:net";
import { OperationError } from "../../lib/operation-error.ts";
import type { AddressPolicy } from "../../lib/outbound/address-policy.ts";
import { OutboundError } from "../../lib/outbound/outbound-error.ts";
import { createResolve } from "../../lib/outbound/resolve.ts";
import { type Reason, sayReason } from "../../lib/reason.ts";
import type { Logger } from "../../lib/runtime/log.ts";
import type { SettingsReader } from "../../settings/settings.ts";

export type Mail = Readonly<{
  /** One address, or several separated by semicolons. */
  to: string;
  subject: string;
  /** Plain text; paragraphs are separated by empty lines. */
  text: string;
  html: string;
}>;

/** Sends mail through the server of the settings. */
export type Mailer = {
  /** Whether there is a server to send through. */
  isConfigured(): boolean;
  /** Resolves when the server has taken the mail. Throws OperationError mail_not_configured or mail_failed. */
  send(mail: Mail): Promise<void>;
  /** Connects and signs in without sending: null when the server lets us, else why not. */
  probe(): Promise<Reason | null>;
};

const IMPLICIT_TLS_PORT = 465;
const SUBMISSION_PORT = 587;
const TIMEOUT_MS = 10_000;
/** Servers that offer PLAIN and then refuse it. */
const WANTS_LOGIN = /outlook|onmicrosoft/;

/**
 * TLS from the first byte on port 465 or with SMTPSSLEnabled, else STARTTLS where the server offers it (on the submission
 * port it must); certificates are always checked. The server's address obeys the policy of all outgoing connections.
 */
export function createMailer(deps: Readonly<{ settings: SettingsReader; policy: AddressPolicy; log: Logger }>): Mailer {
  const { settings, policy, log } = deps;
  const resolve = createResolve(policy);

  const transport = async () => {
    const host = settings.get("SMTPServer");
    const port = settings.get("SMTPPort");
    const user = settings.get("SMTPAccount");
    const pass = settings.get("SMTPToken");
    const [address = host] = await resolve(host);
    const isImplicit = port === IMPLICIT_TLS_PORT || settings.get("SMTPSSLEnabled");
    const wantsLogin = WANTS_LOGIN.test(user) || host === "smtp.azurecomm.net";
    const { createTransport } = await import("nodemailer");
    return createTransport({
      host: address,
      port,
      secure: isImplicit,
      requireTLS: !isImplicit && port === SUBMISSION_PORT && pass !== "",
      // A name to check the certificate for, and an address as such: TLS knows no server names that are addresses.
      tls: isIP(host) === 0 ? { servername: host } : {},
      ...(pass !== "" && { auth: { user, pass } }),
      ...(wantsLogin && { authMethod: "LOGIN" }),
      connectionTimeout: TIMEOUT_MS,
      greetingTimeout: TIMEOUT_MS,
      socketTimeout: TIMEOUT_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  };
  const isConfigured = () => settings.get("SMTPServer") !== "" && sender(settings) !== "";

  return {
    isConfigured,
    async send({ to, ...mail }) {
      if (!isConfigured()) throw new OperationError("mail_not_configured");
      try {
        const server = await transport();
        await server.sendMail({
          ...mail,
          from: { name: settings.get("SystemName"), address: sender(settings) },
          to: to.split(";").map((address) => ({ name: "", address: address.trim() })),
        });
      } catch (error) {
        log.warn({ reason: sayReason(reasonOf(error), "en") }, "a mail could not be sent");
        throw new OperationError("mail_failed");
      }
    },
    async probe() {
      try {
        await (await transport()).verify();
        return null;
      } catch (error) {
        return reasonOf(error);
      }
    },
  };
}

const sender = (settings: SettingsReader): string => settings.get("SMTPFrom") || settings.get("SMTPAccount");

/** What the operator needs to know; the server's whole answer may name the receiver. */
function reasonOf(error: unknown): Reason {
  if (error instanceof OutboundError) return error.reason;
  const { code, responseCode } = error as { code?: string; responseCode?: number };
  return [code, responseCode].filter(Boolean).join(" ") || { code: "why_unknown" };
}

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
