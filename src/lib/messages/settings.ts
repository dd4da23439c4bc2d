/** Options: what a value must be, and what a switch needs first. */
export const settingMessages = {
  option_unknown: { en: "Setting {key} does not exist.", zh: "不存在名为 {key} 的设置项。" },
  option_bool: { en: "{key} must be true or false.", zh: "{key} 必须为 true 或 false。" },
  option_integer: {
    en: "{key} must be a whole number from {min} to {max}.",
    zh: "{key} 必须是 {min} 到 {max} 之间的整数。",
  },
  option_decimals: { en: "{key} may have at most {max} decimals.", zh: "{key} 最多 {max} 位小数。" },
  option_number: { en: "{key} must be a number from {min} to {max}.", zh: "{key} 必须是 {min} 到 {max} 之间的数字。" },
  option_choice: { en: "{key} must be one of: {choices}.", zh: "{key} 只能是以下之一：{choices}。" },
  option_too_long: { en: "{key} cannot exceed {max} characters.", zh: "{key} 不能超过 {max} 个字符。" },
  option_address: {
    en: "{key} must be a URL that starts with http:// or https://.",
    zh: "{key} 必须是以 http:// 或 https:// 开头的地址。",
  },
  option_ldap_address: {
    en: "{key} must be an address that starts with ldap:// or ldaps://, without a path.",
    zh: "{key} 必须是以 ldap:// 或 ldaps:// 开头且不含路径的地址。",
  },
  option_ldap_filter: {
    en: "{key} must be an LDAP filter with {names}, such as {example}.",
    zh: "{key} 必须是包含 {names} 的 LDAP 过滤器，例如 {example}。",
  },
  option_header_name: {
    en: "{key} must be the name of an HTTP header, such as X-User.",
    zh: "{key} 必须是 HTTP 请求头的名称，例如 X-User。",
  },
  option_color: {
    en: "{key} must be a color such as #0f766e, or empty.",
    zh: "{key} 必须是 #0f766e 这样的颜色，或留空。",
  },
  option_link: {
    en: "{key} must be a URL that starts with http:// or https://, or a path such as /logo.png.",
    zh: "{key} 必须是以 http:// 或 https:// 开头的地址，或 /logo.png 这样的路径。",
  },
  option_below_other: {
    en: "{key} must be 0 or at least {other} ({least}).",
    zh: "{key} 必须为 0，或不小于 {other}（{least}）。",
  },
  option_json: { en: "{key} is not valid JSON: {detail}", zh: "{key} 不是合法的 JSON：{detail}" },
  catalog_price_of_pattern: {
    en: "{model} is a pattern, and prices apply to a single model. Remove the price, or enter a model name.",
    zh: "价格只能设给具体模型，而 {model} 是通配名。请去掉价格，或填写具体的模型名。",
  },
  catalog_entry_missing: { en: "There is no custom entry for {model}.", zh: "{model} 没有自定义条目。" },
  catalog_url_unset: {
    en: "No update URL is set for the model catalog. Set it under Settings → Models.",
    zh: "尚未设置模型目录的更新地址，请先在“系统设置 → 模型”中填写。",
  },
  catalog_address_invalid: {
    en: "Enter the address of the other Sluice, such as https://sluice.example.com.",
    zh: "请输入另一个 Sluice 的地址，例如 https://sluice.example.com。",
  },
  catalog_changed_since: {
    en: "The source has changed since the preview. Nothing was changed; review the new differences.",
    zh: "来源在预览之后已更新，未做任何更改；请重新查看差异。",
  },
  catalog_nothing_to_undo: { en: "There is no update to undo.", zh: "没有可撤销的更新。" },
  catalog_fetch_status: {
    en: "The model catalog's update URL returned status {status}. Nothing was changed.",
    zh: "模型目录的更新地址返回了状态码 {status}，未做任何更改。",
  },
  catalog_fetch_failed: {
    en: "Couldn't fetch the model catalog: {reason}. Nothing was changed.",
    zh: "获取模型目录失败：{reason}。未做任何更改。",
  },
  catalog_not_json: {
    en: "The file is not valid JSON: {detail}. Nothing was changed.",
    zh: "文件不是合法的 JSON：{detail}。未做任何更改。",
  },
  configuration_plan_differs: {
    en: "The site has changed since the plan was made. Make a new plan.",
    zh: "生成变更计划之后站点已发生变化，请重新生成计划。",
  },
  configuration_field_unknown: { en: "There is no field {field}.", zh: "不存在字段 {field}。" },
  configuration_named_twice: { en: "{name} is named twice.", zh: "{name} 重复出现。" },
  configuration_type_fixed: {
    en: "The type of a destination can't be changed. Give the new one another name.",
    zh: "目标的类型无法修改，请为新目标换一个名称。",
  },
  managed_by_files: {
    en: "{name} is managed by configuration files with the label {label}. Change the files and run `sluice apply`.",
    zh: "{name} 由标签为 {label} 的配置文件管理。请修改配置文件后运行 `sluice apply`。",
  },
  account_unknown: { en: "There is no account named {name}.", zh: "不存在名为 {name} 的账户。" },
  group_ratio_required: {
    en: "The group {group} is new and needs a ratio.",
    zh: "分组 {group} 是新的，需要设置倍率。",
  },
  organization_owner_required: {
    en: "The organization {name} is new and needs a member with the role owner.",
    zh: "组织 {name} 是新的，需要一名角色为 owner 的成员。",
  },
  field_invalid: {
    en: "{field} must be {expected}.",
    zh: "字段 {field} 无效，应为：{expected}。",
  },
  replay_no_requests: {
    en: "No request of this time can be replayed: the log has none with its content. Turn on content logging in the settings.",
    zh: "该时段没有可重放的请求：日志中没有保存内容的请求。请在设置中开启内容记录。",
  },
  replay_set_missing: { en: "This set does not exist, or is being replayed.", zh: "该请求集不存在，或正在重放。" },
  replay_target_required: {
    en: "Choose a model or a route. Without one, enter prices and no judge.",
    zh: "请选择模型或路由；若不选择，则只能填写价格，且不能使用评审模型。",
  },
  replay_evaluation_status: {
    en: "This evaluation does not exist, or its status does not allow that.",
    zh: "该评测不存在，或当前状态不允许此操作。",
  },
  guardrail_exists: { en: "There is already a guardrail named {name}.", zh: "名为 {name} 的护栏已存在。" },
  guardrail_missing: { en: "There is no guardrail named {name}.", zh: "没有名为 {name} 的护栏。" },
  route_exists: { en: "There is already a route named {name}.", zh: "名为 {name} 的路由已存在。" },
  route_missing: { en: "There is no route named {name}.", zh: "没有名为 {name} 的路由。" },
  option_json_shape: { en: "{key} must be {shape}.", zh: "{key} 的格式应为：{shape}。" },
  option_json_entry: {
    en: "{key}: the value of “{entry}” must be {shape}.",
    zh: "{key}：“{entry}” 的值应为：{shape}。",
  },
  shape_number: { en: "a number of 0 or more", zh: "不小于 0 的数字" },
  shape_text: { en: "a string", zh: "字符串" },
  shape_models: {
    en: '["model", "another model"]: 1 to {count} names, each once',
    zh: '["模型", "另一个模型"]：1 到 {count} 个名称，不重复',
  },
  shape_count: { en: "a whole number above 0", zh: "大于 0 的整数" },
  shape_context_tiers: {
    en: '[{"over": tokens, "input": factor, "output": factor}], each tier once',
    zh: '[{"over": token 数, "input": 倍数, "output": 倍数}]，每个分段只列一次',
  },
  shape_service_tiers: {
    en: '{"priority": {"input": factor, "output": factor, "cache_read": factor}}',
    zh: '{"priority": {"input": 倍数, "output": 倍数, "cache_read": 倍数}}',
  },
  shape_price_hours: {
    en: '[{"days": ["mon", "tue"], "from": "09:00", "until": "12:00", "zone": "Asia/Shanghai", "input": factor, "output": factor, "cache_read": factor}]',
    zh: '[{"days": ["mon", "tue"], "from": "09:00", "until": "12:00", "zone": "Asia/Shanghai", "input": 倍数, "output": 倍数, "cache_read": 倍数}]',
  },
  shape_price_variants: {
    en: '{"field=value,other=one|another": USD per second, or per video}',
    zh: '{"字段=值,另一字段=甲|乙": 每秒或每个视频的美元价格}',
  },
  shape_group_discounts: {
    en: '[{"group": name, "percent": 0 to 100, "from": "2026-01-01T00:00:00Z", "until": "…"}], from before until',
    zh: '[{"group": 分组, "percent": 0 到 100, "from": "2026-01-01T00:00:00Z", "until": "…"}]，from 须早于 until',
  },
  option_domain: { en: "{key}: “{entry}” is not a valid domain.", zh: "{key}：“{entry}” 不是有效的域名。" },
  option_needs: { en: "Fill in {needed} before turning on {key}.", zh: "启用 {key} 前请先填写 {needed}。" },
  option_password_login_needed: {
    en: "Password sign-in cannot be turned off: no super admin has linked another sign-in method.",
    zh: "无法关闭密码登录：没有超级管理员绑定其他登录方式。",
  },
  option_last_sign_in_needed: {
    en: "This cannot be turned off: password sign-in is off, and no super admin has linked another sign-in method. Turn on password sign-in first.",
    zh: "无法关闭：密码登录已关闭，且没有超级管理员绑定其他登录方式。请先开启密码登录。",
  },
  option_modes_exclusive: {
    en: "Self-use mode and demo mode cannot both be on.",
    zh: "自用模式与演示模式不能同时开启。",
  },
  option_regex: {
    en: "{key}: line {line} is not a valid regular expression (RE2 syntax: no lookaround, no backreferences).",
    zh: "{key}：第 {line} 行不是有效的正则表达式（RE2 语法，不支持环视和反向引用）。",
  },
  oidc_well_known_address: {
    en: "The well-known URL must begin with http:// or https://.",
    zh: "Well-Known URL 必须以 http:// 或 https:// 开头。",
  },
  oidc_discovery_failed: {
    en: "Failed to get the OIDC configuration, check the network and the well-known URL ({detail}).",
    zh: "获取 OIDC 配置失败，请检查网络与 Well-Known URL（{detail}）。",
  },
  update_check_unset: {
    en: "No address to ask for updates is set: start with UPDATE_CHECK_URL.",
    zh: "未设置检查更新的地址：请在启动时设置 UPDATE_CHECK_URL。",
  },
  site_offline: {
    en: "This installation is offline (OFFLINE=true): it asks nobody for releases or models.",
    zh: "此实例处于离线模式（OFFLINE=true），不会向外查询版本或模型信息。",
  },
  update_check_failed: { en: "Failed to check for updates, try again later.", zh: "检查更新失败，请稍后再试。" },
  model_ratios_reset: { en: "Model ratios reset", zh: "模型倍率已重置" },
} as const;
