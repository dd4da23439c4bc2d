export const codeMessages = {
  code_not_found: { en: "This redemption code does not exist.", zh: "兑换码不存在。" },
  code_name_required: { en: "Enter a name.", zh: "请填写名称。" },
  code_name_length: { en: "The name must have 1 to {max} characters.", zh: "兑换码名称须为 1 到 {max} 个字符。" },
  code_quota_invalid: { en: "The quota must be a whole number above 0.", zh: "额度必须是大于 0 的整数。" },
  code_count_invalid: { en: "Create 1 to {max} codes at a time.", zh: "每次可创建 1 到 {max} 个兑换码。" },
  code_max_uses_invalid: {
    en: "The number of uses must be a whole number above 0, or -1 for no limit.",
    zh: "最大使用次数必须是大于 0 的整数，-1 表示不限。",
  },
  code_time_invalid: { en: "This is no point in time.", zh: "时间格式错误。" },
  code_window_invalid: { en: "Effective time must be earlier than expiry time.", zh: "生效时间必须早于过期时间。" },
  code_key_invalid: {
    en: "The code may have at most {max} characters and no spaces.",
    zh: "兑换码最多 {max} 个字符，且不能含空格。",
  },
  code_key_taken: { en: "This code exists already or existed before.", zh: "该兑换码已存在或曾经存在。" },
  code_status_invalid: {
    en: "A code can be enabled (1) or disabled (2).",
    zh: "兑换码状态只能设为启用（1）或禁用（2）。",
  },
  code_is_used: { en: "A used code stays used.", zh: "已使用的兑换码无法更改状态。" },
  code_not_editable: { en: "Only unused codes can be edited.", zh: "只能编辑未使用的兑换码。" },
} as const;
