import { createHmac } from "node:crypto";
import type { AlertMessage, Severity } from "../alert.ts";
import { type DestinationType, plainText, truncate } from "./destination-type.ts";

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

const cardColorOf = ({ state, severity }: AlertMessage): string => {
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
                color: cardColorOf(alert),
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

/**
 * A custom bot of Lark or Feishu. The signature's key is timestamp and secret, and what it signs is empty.
 * https://open.larksuite.com/document/client-docs/bot-v3/add-custom-bot
 */
export const lark: DestinationType = {
  fields: [
    { name: "url", format: "url", isSecret: true },
    { name: "secret", format: /^\S{1,200}$/, isSecret: true, isOptional: true },
  ],
  buildRequest({ url = "", secret }, { title, content, link }, { now, language }) {
    const timestamp = String(now);
    const lines = [
      [{ tag: "text", text: content }],
      ...(link ? [[{ tag: "a", text: link.label, href: link.address }]] : []),
    ];
    const sign = secret && createHmac("sha256", `${timestamp}\n${secret}`).digest("base64");
    return {
      url,
      body: {
        ...(sign && { timestamp, sign }),
        msg_type: "post",
        content: { post: { [language === "zh" ? "zh_cn" : "en_us"]: { title, content: lines } } },
      },
    };
  },
  findRejection({ code, StatusCode: legacyCode, msg }) {
    if (code === 0 || legacyCode === 0) return undefined;
    return typeof msg === "string" && msg !== "" ? msg : `code ${String(code)}`;
  },
};

/** A bot of Telegram that writes into a chat. https://core.telegram.org/bots/api#sendmessage */
export const telegram: DestinationType = {
  fields: [
    { name: "bot_token", format: /^\d+:[\w-]{20,100}$/, isSecret: true },
    { name: "chat_id", format: /^(@\w{4,64}|-?\d{1,20})$/ },
    { name: "thread_id", format: /^\d{1,15}$/, isOptional: true },
  ],
  buildRequest: ({ bot_token = "", chat_id, thread_id }, alert, { addresses }) => ({
    url: `${addresses.telegramBot}/bot${bot_token}/sendMessage`,
    body: {
      chat_id,
      // Without a parse mode the text is shown as it is.
      text: truncate(plainText(alert), 4096),
      link_preview_options: { is_disabled: true },
      ...(thread_id && { message_thread_id: Number(thread_id) }),
    },
  }),
  findRejection: ({ ok, description }) => (ok === true ? undefined : String(description ?? "not ok")),
};
