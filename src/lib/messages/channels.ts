/** Keys of callers at providers. */
const providerKeyMessages = {
  provider_keys_off: {
    en: "This site does not let you store your own provider keys.",
    zh: "本站不允许保存你自己的服务商密钥。",
  },
  provider_key_not_found: {
    en: "This key does not exist. Refresh and try again.",
    zh: "密钥不存在，请刷新后重试。",
  },
  provider_keys_full: {
    en: "An account can have {max} keys at most.",
    zh: "每个账户最多可有 {max} 个密钥。",
  },
  provider_key_name_invalid: {
    en: "Enter a name of 1 to {max} characters.",
    zh: "请输入 1 至 {max} 个字符的名称。",
  },
  provider_key_invalid: {
    en: "Enter the key as the provider shows it: 8 to 500 characters, without spaces and commas.",
    zh: "请按服务商显示的内容填写密钥：8 至 500 个字符，不含空格和逗号。",
  },
  provider_key_required_again: {
    en: "A key is bound to its provider. Enter the key again for another one.",
    zh: "密钥与其服务商绑定。更换服务商时请重新输入密钥。",
  },
  provider_key_provider_invalid: {
    en: "This site does not accept your own keys for this provider.",
    zh: "本站不接受你自己的此服务商密钥。",
  },
  provider_key_models_invalid: {
    en: "Enter 1 to {max} models or patterns.",
    zh: "请填写 1 至 {max} 个模型或通配模式。",
  },
};

export const channelMessages = {
  ...providerKeyMessages,
  channel_not_found: { en: "This channel does not exist. Refresh and try again.", zh: "渠道不存在，请刷新后重试。" },
  channel_name_and_key_required: { en: "Enter the channel's name and key.", zh: "请填写渠道名称和密钥。" },
  channel_key_masked: {
    en: "Masked and new keys cannot be mixed. Enter all keys in full, or leave the field empty to keep the saved ones.",
    zh: "隐藏的密钥与新密钥不能混用：请完整填写全部密钥，或留空以保留原有密钥。",
  },
  channel_key_required_again: {
    en: "This change sends the channel’s requests to another destination (address, region, proxy or type). Enter its key again.",
    zh: "此修改会让渠道请求发往其他目标（地址、区域、代理或类型），请重新输入密钥。",
  },
  channel_reference_required_again: {
    en: "This change sends the channel’s requests to another destination, and its key comes from a secret manager. A super administrator must enter the reference again, or enter another key.",
    zh: "此修改会让渠道请求发往其他目标，而密钥来自密钥管理服务：请由超级管理员重新输入引用，或改填其他密钥。",
  },
  channel_model_required: { en: "Choose at least one model.", zh: "请至少选择一个模型。" },
  channel_group_required: { en: "Choose at least one group.", zh: "请至少选择一个分组。" },
  channel_selection_required: { en: "Select channels first.", zh: "请先选择渠道。" },
  override_request_unknown: { en: "No request with this ID is in the log.", zh: "日志中没有此请求 ID。" },
  override_request_body: {
    en: "The body of this request is not stored, or not whole. Paste a body instead.",
    zh: "未保存此请求的正文，或正文不完整。请改为粘贴请求正文。",
  },
  override_body_invalid: { en: "The request body must be a JSON object.", zh: "请求正文必须是 JSON 对象。" },
  override_headers_invalid: { en: "The client’s headers are not valid.", zh: "客户端请求头无效。" },
  channel_tag_required: { en: "Enter a tag.", zh: "请填写标签。" },
  channel_tag_unknown: { en: "No channel has the tag {tag}.", zh: "没有渠道使用标签 {tag}。" },
  channel_status_invalid: {
    en: "The status must be enabled (1) or disabled (2).",
    zh: "渠道状态只能设为启用（1）或禁用（2）。",
  },
  channel_priority_min: { en: "The priority must be {min} or more.", zh: "优先级不能小于 {min}。" },
  channel_number_invalid: { en: "{field} must be a whole number.", zh: "{field} 必须是整数。" },
  channel_amount_invalid: { en: "The amount must be 0 or more.", zh: "金额不能小于 0。" },
  channel_base_url_invalid: {
    en: "The base URL must start with http:// or https://.",
    zh: "接口地址必须以 http:// 或 https:// 开头。",
  },
  channel_model_mapping_invalid: {
    en: 'Model mapping must be a JSON object of model names, such as {"gpt-4o": "gpt-4o-2024-11-20"}.',
    zh: '模型映射必须是模型名称的 JSON 对象，例如 {"gpt-4o": "gpt-4o-2024-11-20"}。',
  },
  channel_status_mapping_invalid: {
    en: 'Status code mapping must be a JSON object of HTTP status codes, such as {"400": 500}.',
    zh: '状态码映射必须是 HTTP 状态码的 JSON 对象，例如 {"400": 500}。',
  },
  channel_setting_unknown: {
    en: "Channel settings have no “{name}”. Known are: {known}.",
    zh: "渠道设置没有“{name}”。可用的有：{known}。",
  },
  channel_setting_value: {
    en: "The channel setting “{name}” must be {expected}.",
    zh: "渠道设置“{name}”应为：{expected}。",
  },
  channel_setting_invalid: { en: "Channel settings must be a JSON object.", zh: "渠道设置必须是 JSON 对象。" },
  channel_param_override_invalid: {
    en: "Parameter overrides must be a JSON object.",
    zh: "参数覆盖必须是 JSON 对象。",
  },
  channel_param_override_like: {
    en: "The parameter override {name} differs from {like} only in how it is written, and providers may read it as that. Write {like}.",
    zh: "参数覆盖中的 {name} 与 {like} 仅写法不同，上游可能会把它当作 {like}。请写成 {like}。",
  },
  channel_header_override_invalid: {
    en: 'Headers must be a JSON object of texts, such as {"X-Title": "My site"}.',
    zh: '请求头必须是由文本组成的 JSON 对象，例如 {"X-Title": "My site"}。',
  },
  channel_headers_many: { en: "A channel has at most {max} headers.", zh: "一个渠道最多 {max} 个请求头。" },
  channel_header_name: {
    en: "“{name}” can't be a header of a channel: the gateway writes it itself, or it is no header's name.",
    zh: "“{name}”不能作为渠道的请求头：它由网关自行填写，或不是合法的请求头名称。",
  },
  channel_header_value: {
    en: "The header “{name}” needs a text of 1 to 2000 characters, without line breaks and in ASCII.",
    zh: "请求头“{name}”的值应为 1 到 2000 个 ASCII 字符，且不含换行。",
  },
  channel_header_pattern: {
    en: "“{name}” is no pattern of header names: use re: and RE2's syntax.",
    zh: "“{name}”不是有效的请求头名称表达式：请使用 re: 加 RE2 语法。",
  },
  channel_header_secret: {
    en: "The client's header “{name}” is not passed on: it holds a credential or belongs to the connection.",
    zh: "不会转发客户端的请求头“{name}”：它包含凭据或属于连接本身。",
  },
  channel_header_placeholder: {
    en: "The header “{name}” has an unknown placeholder. Known are {known}, and {client_header:NAME} as the only text.",
    zh: "请求头“{name}”含有未知的占位符。可用的有 {known}，以及单独使用的 {client_header:NAME}。",
  },
  channel_header_credential: {
    en: "The header “{name}” holds a credential: enter a fixed value.",
    zh: "请求头“{name}”用于凭据：请填写固定值。",
  },
  channel_override_list: {
    en: "The member operations of parameter overrides must be a list of at most {max} operations.",
    zh: "参数覆盖中的 operations 必须是列表，最多 {max} 项。",
  },
  channel_override_mode: {
    en: "Operation {at} has no known mode. Known are: {known}.",
    zh: "第 {at} 项操作的 mode 无效。可用的有：{known}。",
  },
  channel_override_path: {
    en: "Operation {at} needs a path such as messages.0.content.",
    zh: "第 {at} 项操作需要路径，例如 messages.0.content。",
  },
  channel_override_priced: {
    en: "Operation {at} can't write {name}, by which calls are priced. Set it as a member next to operations.",
    zh: "第 {at} 项操作不能写入 {name}，它用于计价。请将其作为 operations 之外的成员设置。",
  },
  channel_override_value: { en: "Operation {at} needs a value.", zh: "第 {at} 项操作需要 value。" },
  channel_override_conditions: {
    en: "The conditions of operation {at} must be a list of at most {max}.",
    zh: "第 {at} 项操作的 conditions 必须是列表，最多 {max} 项。",
  },
  channel_override_condition: {
    en: "A condition of operation {at} has no known mode. Known are: {known}.",
    zh: "第 {at} 项操作的条件 mode 无效。可用的有：{known}。",
  },
  channel_override_pattern: {
    en: "A condition of operation {at} has no valid regular expression in RE2's syntax.",
    zh: "第 {at} 项操作的条件不是有效的 RE2 正则表达式。",
  },
  channel_region_invalid: {
    en: "The region must be a name, or a JSON object with a default entry.",
    zh: "区域必须是名称，或包含 default 的 JSON 对象。",
  },
  channel_model_too_long: { en: "The model name {model}… exceeds 255 bytes.", zh: "模型名称 {model}… 超过 255 字节。" },
  channel_prefix_too_long: { en: "The model prefix cannot exceed 64 characters.", zh: "模型前缀最多 64 个字符。" },
  channel_group_too_long: { en: "A group name cannot exceed {max} characters.", zh: "分组名称最多 {max} 个字符。" },
  channel_tag_too_long: { en: "The tag cannot exceed {max} characters.", zh: "标签最多 {max} 个字符。" },
  channel_key_unresolved: {
    en: "The key {reference} can't be read: {reason}",
    zh: "无法读取密钥 {reference}：{reason}",
  },
  channel_key_reference_invalid: {
    en: "{reference} is not a valid reference to a secret: {reason}",
    zh: "{reference} 不是有效的密钥引用：{reason}",
  },
  channel_key_reference_denied: {
    en: "Only the super administrator can set a key that is a reference to a secret manager.",
    zh: "只有超级管理员可以将密钥设为密钥管理服务的引用。",
  },
  channel_key_required: { en: "Enter a key.", zh: "请填写密钥。" },
  channel_key_unknown: {
    en: "The channel no longer has this key. Refresh and try again.",
    zh: "渠道已没有该密钥，请刷新后重试。",
  },
  channel_type_unknown: {
    en: "Channel type {type} is not supported by this release.",
    zh: "当前版本不支持渠道类型 {type}。",
  },
  channel_check_budget: { en: "Today's budget for model checks is used up.", zh: "今天的模型检查预算已用完。" },
  channel_not_testable: { en: "Channels of this type cannot be tested.", zh: "该类型的渠道不支持测试。" },
  channel_test_model_missing: { en: "The channel has no model to test with.", zh: "渠道没有可用于测试的模型。" },
  channel_test_failed: { en: "The test failed: {reason}", zh: "测试失败：{reason}" },
  channel_tests_running: { en: "A test of all channels is already running.", zh: "全部渠道测试正在进行中。" },
  channel_models_unavailable: {
    en: "The list of models could not be fetched: {reason}",
    zh: "获取模型列表失败：{reason}",
  },
  channel_balance_unavailable: { en: "The balance could not be fetched: {reason}", zh: "查询余额失败：{reason}" },
  channel_balance_not_offered: {
    en: "Providers of this type do not report a balance.",
    zh: "该类型的上游不支持查询余额。",
  },
} as const;
