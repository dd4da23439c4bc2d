import type { AlertMessage } from "../alert.ts";
import type { DestinationType } from "./destination-type.ts";

const colorOf = ({ state, severity }: AlertMessage): string => {
  if (state === "resolved") return "Good";
  return severity === "info" ? "Accent" : severity === "warning" ? "Warning" : "Attention";
};

/**
 * A workflow of Microsoft Teams that begins when a webhook request is received: an adaptive card in a message.
 * https://learn.microsoft.com/connectors/teams/#microsoft-teams-webhook
 */
export const teams: DestinationType = {
  fields: [{ name: "url", format: "url", isSecret: true }],
  buildRequest: ({ url = "" }, alert) => ({
    url,
    body: {
      type: "message",
      attachments: [
        {
          contentType: "application/vnd.microsoft.card.adaptive",
          contentUrl: null,
          content: {
            $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
            type: "AdaptiveCard",
            version: "1.4",
            body: [
              {
                type: "TextBlock",
                text: alert.title,
                weight: "Bolder",
                size: "Medium",
                wrap: true,
                color: colorOf(alert),
              },
              // Unlike a text block it reads no Markdown: an upstream's error cannot become a link.
              { type: "RichTextBlock", inlines: [{ type: "TextRun", text: alert.content }] },
            ],
            ...(alert.link && {
              actions: [{ type: "Action.OpenUrl", title: alert.link.label, url: alert.link.address }],
            }),
          },
        },
      ],
    },
  }),
};
