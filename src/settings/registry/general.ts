import { chatLinksShape, json } from "../option/json-option.ts";
import { address, bool, color, integer, line, link, text } from "../option/option.ts";

/** The site: its name, its texts, how amounts are shown, which usage mode it runs in. */
export const generalOptions = {
  ServerAddress: address(""),
  SystemName: line("Sluice"),
  Logo: link(),
  Footer: text(""),
  Notice: text(),
  About: text(),
  HomePageContent: text(),
  /** Heading and introduction of the built-in home page; empty: the console's own. */
  HomeTitle: line(),
  HomeLead: line(),
  /** The accent color of pages; empty: the console's own. */
  BrandColor: color(),
  /** Styles added to every page. */
  CustomCss: text(),
  /** What search engines and link previews say about the site. */
  SiteDescription: line(),
  SearchIndexingEnabled: bool(true),
  TopUpLink: link(),
  /** The documentation that comes with the gateway; empty: no link. */
  "general_setting.docs_link": link("/docs/"),
  /** `{key}` becomes the API key with `sk-`, `{address}` the gateway's URL-encoded address. */
  Chats: json([], chatLinksShape),
  /** Visitors may see how models do. */
  StatusPageEnabled: bool(false),
  /** What files of the configuration manage is changed by them alone. */
  LockManagedByFiles: bool(false),
  /** Price changes are sent to their subscribers. */
  PriceChangeNoticeEnabled: bool(false),
  /** Quota units of one dollar. */
  QuotaPerUnit: integer(500_000, { min: 1 }),
  DisplayInCurrencyEnabled: bool(true),
  DisplayTokenStatEnabled: bool(true),
  DefaultCollapseSidebar: bool(false),
  DemoSiteEnabled: bool(false),
  SelfUseModeEnabled: bool(false),
  /** Fetch proxy for media downloads and webhooks. */
  WorkerUrl: address(),
  WorkerValidKey: line("", { secret: true }),
};

/** What notices go through: the mail server (the sender falls back to the account) and a push service. */
export const mailOptions = {
  SMTPServer: line(),
  SMTPPort: integer(587, { min: 1, max: 65_535 }),
  SMTPAccount: line(),
  SMTPFrom: line(),
  SMTPToken: line("", { secret: true }),
  /** TLS from the first byte on another port than 465. */
  SMTPSSLEnabled: bool(false),
  /** Codes and invitations in an hour that one user has sent, and that one address gets; 0: any number. */
  MailsPerUser: integer(30, { min: 0, max: 10_000 }),
  MailsPerRecipient: integer(10, { min: 0, max: 10_000 }),
  /** Notices to WeChat by the service WxPusher, to which people bind by a QR code. */
  WxPusherEnabled: bool(false, { needs: ["WxPusherAppToken"] }),
  WxPusherAppToken: line("", { secret: true }),
};
