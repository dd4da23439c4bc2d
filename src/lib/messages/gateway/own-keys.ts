/** Why a call by a key of the caller's own is refused. */
export const ownKeyMessages = {
  gateway_own_key_off: {
    en: "This site does not accept “X-Provider-Key” from your group. Leave the header out to use the site's channels.",
    zh: "本站不接受你所在分组发送的 “X-Provider-Key”。去掉该请求头即可使用本站渠道。",
  },
  gateway_own_key_header: {
    en: "“X-Provider-Key” must be the name of a provider, a space and your key, such as “openai sk-…”.",
    zh: "“X-Provider-Key” 应为服务商名称、空格加你的密钥，例如 “openai sk-…”。",
  },
  gateway_own_key_provider: {
    en: "This site does not accept your own keys for {provider}.",
    zh: "本站不接受你自己的 {provider} 密钥。",
  },
  gateway_own_key_unsupported: {
    en: "This kind of request cannot be made with your own provider key. Leave “X-Provider-Key” out, or let the stored key fall back to the site's channels.",
    zh: "此类请求无法使用你自己的服务商密钥。请去掉 “X-Provider-Key”，或将已保存的密钥设为可回退到本站渠道。",
  },
  gateway_own_key_refused: {
    en: "The provider refused your own key “{name}”: {reason}",
    zh: "服务商拒绝了你自己的密钥「{name}」：{reason}",
  },
  gateway_sent_key_refused: {
    en: "{provider} refused the key that you sent in “X-Provider-Key”: {reason}",
    zh: "{provider} 拒绝了你在 “X-Provider-Key” 中发送的密钥：{reason}",
  },
};
