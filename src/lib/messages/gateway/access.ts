/** Why a call is not let in: its API key, its owner, its group, the site's switches. */
export const accessMessages = {
  gateway_channel_id_invalid: {
    en: "The channel ID appended to the API key is invalid.",
    zh: "令牌后附带的渠道 ID 无效。",
  },
  gateway_no_key: {
    en: "No API key was sent. Send it as “Authorization: Bearer sk-…”.",
    zh: "请求中没有令牌。请以 “Authorization: Bearer sk-…” 的形式发送。",
  },
  gateway_no_key_sent: { en: "No API key was sent.", zh: "请求中没有令牌。" },
  gateway_key_invalid: { en: "This API key is invalid.", zh: "该令牌无效。" },
  gateway_key_unchecked: {
    en: "The API key cannot be verified right now. Try again shortly.",
    zh: "暂时无法验证该令牌，请稍后重试。",
  },
  gateway_key_used_up: { en: "The quota of API key {key} is used up.", zh: "令牌 {key} 的额度已用完。" },
  gateway_key_expired: { en: "This API key has expired.", zh: "该令牌已过期。" },
  gateway_key_disabled: { en: "This API key is disabled.", zh: "该令牌已禁用。" },
  gateway_key_ip: { en: "This API key cannot be used from IP address {ip}.", zh: "该令牌不允许从 IP 地址 {ip} 使用。" },
  gateway_key_no_models: { en: "This API key has no access to any model.", zh: "该令牌没有任何模型的权限。" },
  gateway_key_not_model: {
    en: "This API key has no access to the model “{model}”.",
    zh: "该令牌无权使用模型「{model}」。",
  },
  gateway_key_group_closed: {
    en: "The owner of this API key has no access to its group “{group}”.",
    zh: "该令牌的所有者无权使用其分组「{group}」。",
  },
  gateway_key_group_removed: {
    en: "The group “{group}” of this API key no longer exists.",
    zh: "该令牌的分组「{group}」已不存在。",
  },
  gateway_owner_removed: { en: "The owner of this API key no longer exists.", zh: "该令牌的所有者已不存在。" },
  gateway_owner_banned: { en: "The owner of this API key is banned.", zh: "该令牌的所有者已被封禁。" },
  gateway_pin_admins_only: {
    en: "Only administrators can append a channel ID to the API key.",
    zh: "只有管理员可以在令牌后指定渠道。",
  },
  gateway_group_closed: { en: "You have no access to the group “{group}”.", zh: "你无权使用分组「{group}」。" },
  gateway_not_signed_in: { en: "Sign in to the console first.", zh: "请先登录控制台。" },
  gateway_playground_session: {
    en: "The playground requires a console session, not an access token.",
    zh: "操练场只接受控制台会话，不接受访问令牌。",
  },
  gateway_tasks_off: { en: "Tasks of this kind are turned off on this site.", zh: "本站未开放此类任务。" },
  gateway_openai_off: { en: "The OpenAI endpoints are turned off on this site.", zh: "本站未开放 OpenAI 接口。" },
  gateway_anthropic_off: {
    en: "The Anthropic endpoint is turned off on this site.",
    zh: "本站未开放 Anthropic 接口。",
  },
  gateway_no_extensions: {
    en: "Requests from browser extensions are blocked on this site.",
    zh: "本站不允许来自浏览器扩展的请求。",
  },
  gateway_sensitive: {
    en: "The prompt contains words that this site does not allow.",
    zh: "提示词包含本站不允许的内容。",
  },
} as const;
