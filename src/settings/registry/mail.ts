import { bool, integer, line } from "../option.ts";

/** The server that sends mail; the sender falls back to the account. */
export const mailOptions = {
  SMTPServer: line(),
  SMTPPort: integer(587, { min: 1, max: 65_535 }),
  SMTPAccount: line(),
  SMTPFrom: line(),
  SMTPToken: line("", { secret: true }),
  /** TLS from the first byte on another port than 465. */
  SMTPSSLEnabled: bool(false),
};
