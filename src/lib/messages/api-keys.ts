export const tokenMessages = {
  device_code_invalid: {
    en: "There is no such code, or it has expired or been used. Start again in the program that showed it.",
    zh: "验证码不存在、已过期或已使用，请在显示验证码的程序中重新开始。",
  },
  application_unknown: {
    en: "This application is unknown here, or its registration has expired. Start again in the application.",
    zh: "此应用未注册或注册已过期，请在应用中重新开始。",
  },
  application_redirect_invalid: {
    en: "{client} did not register the address to which it wants the answer sent, so nothing is sent there.",
    zh: "{client} 未注册它要求返回的地址，因此不会向该地址发送任何内容。",
  },
  application_document_invalid: {
    en: "What the application says of itself can't be used: {reason}",
    zh: "无法使用该应用的自述文档：{reason}",
  },
  application_not_found: {
    en: "This application has no access any more.",
    zh: "该应用已没有访问权限。",
  },
  application_server_unavailable: {
    en: "This account can't use the MCP server {server}.",
    zh: "此账户无法使用 MCP 服务器 {server}。",
  },
  applications_off: {
    en: "Applications can't sign people in at this address. An administrator can allow it, and set the server address.",
    zh: "无法通过此地址为应用登录。管理员可以允许应用登录，并设置服务器地址。",
  },
  token_of_application: {
    en: "This API key belongs to {client}, which uses it by tokens of its own: there is no secret to rotate.",
    zh: "此令牌属于 {client}，由其自有的访问令牌使用，没有可轮换的密钥。",
  },
  token_not_found: { en: "This API key does not exist.", zh: "令牌不存在。" },
  token_key_invalid: { en: "This API key is not valid.", zh: "无效的令牌。" },
  token_name_required: { en: "Enter a name for the API key.", zh: "请填写令牌名称。" },
  token_name_too_long: { en: "The name may have at most {max} characters.", zh: "令牌名称最多 {max} 个字符。" },
  token_count_invalid: {
    en: "The number of API keys must be a whole number from 1 to {max}.",
    zh: "令牌数量必须是 1 到 {max} 之间的整数。",
  },
  token_quota_invalid: { en: "The quota must be a whole number, 0 or more.", zh: "额度必须是不小于 0 的整数。" },
  token_rate_invalid: {
    en: "A limit per minute must be a whole number; 0 means no limit.",
    zh: "每分钟限制必须是不小于 0 的整数，0 表示不限。",
  },
  token_budget_invalid: {
    en: "A budget needs a period (day, week or month) and an amount above 0.",
    zh: "预算需要周期（每天、每周或每月）和大于 0 的额度。",
  },
  token_grace_invalid: {
    en: "The old key can go on working for {days} days at most.",
    zh: "旧密钥最多可以继续使用 {days} 天。",
  },
  token_expiry_invalid: {
    en: "The expiry must be -1 (never) or a Unix time in seconds.",
    zh: "过期时间必须是 -1（永不过期）或有效的时间戳（秒）。",
  },
  token_ip_invalid: {
    en: "{entry} is neither an address nor a CIDR range.",
    zh: "{entry} 不是有效的 IP 地址或 CIDR 网段。",
  },
  token_group_not_usable: { en: "You may not use the group {group}.", zh: "无权使用分组 {group}。" },
  token_groups_many: { en: "An API key has at most {max} groups.", zh: "一个令牌最多 {max} 个分组。" },
  token_group_unknown: { en: "The group {group} no longer exists.", zh: "分组 {group} 已不存在。" },
  token_status_invalid: {
    en: "An API key can be enabled (1) or disabled (2).",
    zh: "令牌状态只能设为启用（1）或禁用（2）。",
  },
  token_expired_cannot_enable: {
    en: "This API key has expired. Change its expiry first.",
    zh: "令牌已过期，请先修改过期时间。",
  },
  token_exhausted_cannot_enable: {
    en: "This API key has no quota left. Raise its quota first, or make it unlimited.",
    zh: "令牌额度已用尽，请先增加额度或设为无限额度。",
  },
} as const;
