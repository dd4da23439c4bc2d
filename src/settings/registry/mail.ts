import { bool, integer, line } from "../option/option.ts";

/** What notices go through: the mail server (the sender falls back to the account) and a push service. */
export const mailOptions = {
  SMTPServer: line(),
  SMTPPort: integer(587, { min: 1, max: 65_535 }),
  SMTPAccount: line(),
  SMTPFrom: line(),
  SMTPToken: line("", { secret: true }),
  /** TLS from the first byte on another port than 465. */
  SMTPSSLEnabled: bool(false),
  /** Notices to WeChat by the service WxPusher, to which people bind by a QR code. */
  WxPusherEnabled: bool(false, { needs: ["WxPusherAppToken"] }),
  WxPusherAppToken: line("", { secret: true }),
};
