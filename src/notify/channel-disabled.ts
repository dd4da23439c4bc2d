import type { Notice } from "./notice.ts";

const AUTO_DISABLED = 3;

/** That a channel, or one of its keys, was switched off because it failed. */
export const channelDisabled = (
  channel: Readonly<{ id: number; name: string }>,
  isKeyOnly: boolean,
  reason: string,
): Notice => ({
  type: `channel_update_${channel.id}_${AUTO_DISABLED}`,
  title: isKeyOnly
    ? { en: "A channel's key was disabled", zh: "渠道的一个密钥已被自动禁用" }
    : { en: "A channel was disabled", zh: "渠道已被自动禁用" },
  content: isKeyOnly
    ? {
        en: "A key of channel “{{value}}” (#{{value}}) was disabled: {{value}}",
        zh: "渠道「{{value}}」（#{{value}}）的一个密钥已被禁用，原因：{{value}}",
      }
    : {
        en: "Channel “{{value}}” (#{{value}}) was disabled: {{value}}",
        zh: "渠道「{{value}}」（#{{value}}）已被禁用，原因：{{value}}",
      },
  values: [channel.name, channel.id, reason],
  path: "/channel",
});
