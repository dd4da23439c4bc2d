import { type DestinationType, plainText, truncate } from "./destination-type.ts";

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
