import type { AlertMessage, Severity } from "../alert.ts";
import { type DestinationType, truncate } from "./destination-type.ts";

const COLORS: Readonly<Record<Severity, number>> = {
  critical: 0xb9_1c_1c,
  error: 0xdc_26_26,
  warning: 0xd9_77_06,
  info: 0x25_63_eb,
};
const RESOLVED_COLOR = 0x16_a3_4a;

const colorOf = ({ state, severity }: AlertMessage): number =>
  state === "resolved" ? RESOLVED_COLOR : COLORS[severity];

/** A webhook of a Discord channel. https://discord.com/developers/docs/resources/webhook#execute-webhook */
export const discord: DestinationType = {
  fields: [{ name: "url", format: "url", isSecret: true }],
  buildRequest: ({ url = "" }, alert) => ({
    url,
    body: {
      embeds: [
        {
          title: truncate(alert.title, 256),
          description: truncate(alert.content, 4096),
          color: colorOf(alert),
          timestamp: new Date(alert.at * 1000).toISOString(),
          ...(alert.link && { url: alert.link.address }),
        },
      ],
      // An upstream's error that names @everyone mentions nobody.
      allowed_mentions: { parse: [] },
    },
  }),
};
