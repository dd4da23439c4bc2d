/** Policies of organizations. */
export const policyMessages = {
  policy_not_found: { en: "This policy does not exist.", zh: "策略不存在。" },
  policy_name_invalid: {
    en: "Enter a policy name of at most {max} characters.",
    zh: "请输入策略名称，最多 {max} 个字符。",
  },
  policy_exists: {
    en: "The organization already has a policy named {name}.",
    zh: "组织中已有名为「{name}」的策略。",
  },
  policy_too_many: {
    en: "The organization already has {max} policies. Delete one first.",
    zh: "策略数量已达上限（{max} 个），请先删除一个。",
  },
  policy_provider_unknown: { en: "There is no provider with the number {id}.", zh: "没有编号为 {id} 的供应商类型。" },
  policy_days_invalid: {
    en: "The days until keys expire must be a whole number from 0 to {max}.",
    zh: "令牌有效天数必须是 0 到 {max} 的整数。",
  },
  policy_rotation_invalid: {
    en: "The days until keys must be rotated must be a whole number from 0 to {max}.",
    zh: "令牌轮换周期必须是 0 到 {max} 的整数天。",
  },
  policy_quota_invalid: {
    en: "The maximum price of a call must be a whole number of quota units, 0 for none.",
    zh: "单次调用的最高费用必须是整数额度，0 表示不限。",
  },
  policy_key_expiry: {
    en: "The policy {policy} requires keys to expire within {days} days.",
    zh: "策略「{policy}」要求令牌在 {days} 天内过期。",
  },
  gateway_policy_model: {
    en: "The policy {policy} does not allow the model {model}.",
    zh: "策略「{policy}」不允许使用模型 {model}。",
  },
  gateway_policy_provider: {
    en: "The policy {policy} allows none of the providers that serve {model}.",
    zh: "策略「{policy}」不允许使用提供 {model} 的服务商。",
  },
  gateway_policy_ip: {
    en: "The policy {policy} does not allow calls from {ip}.",
    zh: "策略「{policy}」不允许来自 {ip} 的调用。",
  },
  gateway_policy_words: {
    en: "The request contains words that the policy {policy} blocks.",
    zh: "请求中包含策略「{policy}」禁止的内容。",
  },
  gateway_policy_key_expiry: {
    en: "The policy {policy} refuses this API key: it lasts too long. Set an earlier expiry.",
    zh: "策略「{policy}」拒绝此令牌：有效期过长，请设置更早的过期时间。",
  },
  gateway_policy_key_rotation: {
    en: "The policy {policy} refuses this API key: its secret is older than {days} days. Rotate the key on the API keys page or with POST /api/token/ID/rotate, and use the new secret.",
    zh: "策略「{policy}」拒绝此令牌：密钥已使用超过 {days} 天。请在令牌页面或通过 POST /api/token/ID/rotate 轮换，并改用新密钥。",
  },
  gateway_policy_price: {
    en: "The policy {policy} allows a call to cost at most {max} quota units; this one may cost {needed}.",
    zh: "策略「{policy}」限制单次调用最多花费 {max} 额度单位，本次最多可能花费 {needed}。",
  },
} as const;
