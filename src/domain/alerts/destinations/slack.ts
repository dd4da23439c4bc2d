import { type DestinationType, truncate } from "./destination-type.ts";

/** Slack's characters that begin markup (https://docs.slack.dev/messaging/formatting-message-text). */
const escapeMarkup = (text: string): string => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");

/**
 * Slack's incoming webhooks, which Mattermost and Rocket.Chat take too.
 * https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks
 */
export const slack: DestinationType = {
  fields: [{ name: "url", format: "url", isSecret: true }],
  buildRequest: ({ url = "" }, { title, content, link }) => ({
    url,
    body: {
      // What notifications and screen readers say.
      text: escapeMarkup(`${title}: ${content}`),
      blocks: [
        { type: "header", text: { type: "plain_text", text: truncate(title, 150) } },
        { type: "section", text: { type: "plain_text", text: truncate(content, 3000) } },
        ...(link
          ? [{ type: "section", text: { type: "mrkdwn", text: `<${link.address}|${escapeMarkup(link.label)}>` } }]
          : []),
      ],
    },
  }),
};
