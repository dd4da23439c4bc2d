/** Organizations: members, invitations, transfers, and acting for one. */
export const organizationMessages = {
  organizations_off: { en: "Organizations are turned off on this site.", zh: "本站未启用组织功能。" },
  organization_not_found: { en: "This organization does not exist.", zh: "组织不存在。" },
  organization_header_malformed: {
    en: "The Sluice-Organization header must be the ID of an organization.",
    zh: "Sluice-Organization 请求头格式错误：应为组织 ID。",
  },
  organization_not_here: {
    en: "This call is about you, not an organization. Send it without the Sluice-Organization header.",
    zh: "此操作针对个人账号，不适用于组织，请去掉 Sluice-Organization 请求头后重试。",
  },
  organization_not_member: {
    en: "You are not a member of this organization. Choose another one, or ask for an invitation.",
    zh: "你不是该组织的成员，请切换到其他组织，或联系对方邀请你加入。",
  },
  organization_right_missing: {
    en: "Your role in this organization does not allow this. Ask an owner or admin.",
    zh: "你在该组织中的角色无权进行此操作，请联系所有者或管理员。",
  },
  organization_owners_only: {
    en: "Only owners of the organization can change or appoint owners.",
    zh: "只有组织所有者可以任命或变更所有者。",
  },
  organization_banned: { en: "This organization is banned.", zh: "该组织已被封禁。" },
  organization_no_sign_in: {
    en: "This account is an organization: nobody can sign in to it, and it has no password or admin role.",
    zh: "这是组织账号，不能登录，也不能设置密码或管理员权限。",
  },
  organization_required: {
    en: "On this site, keys belong to organizations. Switch to one, then create the key.",
    zh: "本站的密钥须归属组织，请先切换到组织再创建。",
  },
  organization_name_required: { en: "Enter a name for the organization.", zh: "请输入组织名称。" },
  organization_too_many: {
    en: "You already own {max} organizations. Delete one first.",
    zh: "你拥有的组织已达上限（{max} 个），请先删除一个。",
  },
  organization_has_balance: {
    en: "The organization still has a balance. Move it to your wallet first.",
    zh: "组织尚有余额，请先转出到你的钱包。",
  },
  organization_has_keys: {
    en: "The organization still has {count} API keys. Delete them first.",
    zh: "组织还有 {count} 个密钥，请先删除。",
  },
  organization_member_not_found: { en: "This person is not a member.", zh: "该用户不是组织成员。" },
  organization_member_already: {
    en: "You are already a member of this organization.",
    zh: "你已是该组织的成员。",
  },
  organization_last_owner: {
    en: "An organization needs an owner. Make somebody else an owner first.",
    zh: "组织至少需要一位所有者，请先指定其他所有者。",
  },
  organization_owner_access: {
    en: "Owners see everything in their organization.",
    zh: "所有者可查看组织的全部内容。",
  },
  organization_own_access: {
    en: "You can't change your own access.",
    zh: "不能修改自己的查看权限。",
  },
  organization_needs_owner: {
    en: "This person is the only owner of the organization {name}. Make somebody else an owner, or delete the organization first.",
    zh: "该用户是组织 {name} 的唯一所有者，请先指定其他所有者或删除该组织。",
  },
  organization_invite_no_owner: {
    en: "An invitation cannot make an owner. Invite with another role and change it afterwards.",
    zh: "不能直接邀请所有者，请先以其他角色邀请，加入后再变更。",
  },
  organization_invitations_too_many: {
    en: "The organization has {max} open invitations. Revoke some first.",
    zh: "未使用的邀请已达上限（{max} 个），请先撤销一部分。",
  },
  organization_seats_taken: {
    en: "All {seats} seats of the organization are taken, open invitations included. Add seats, remove members or revoke invitations.",
    zh: "组织的 {seats} 个席位已全部占用（含未使用的邀请）。请增加席位，或移除成员、撤销邀请。",
  },
  organization_invitation_invalid: {
    en: "This invitation was used or revoked, or has expired. Ask for a new one.",
    zh: "邀请已使用、已撤销或已过期，请联系对方重新邀请。",
  },
  organization_transfer_invalid: { en: "The amount must be a whole number above 0.", zh: "额度必须是大于 0 的整数。" },
  organization_withdraw_limited: {
    en: "You can change balances as an administrator, so you get back at most what you moved in yourself: {available} quota units.",
    zh: "你可以以管理员身份修改余额，因此最多只能转出自己转入的额度：{available}。",
  },
  own_organization_out_of_reach: {
    en: "You belong to this organization. Ask another administrator to change it.",
    zh: "你是该组织的成员，请由其他管理员修改。",
  },
  key_log_withheld: {
    en: "The organization of this key withholds requests from somebody who has it. Read them in the console.",
    zh: "该密钥所属组织限制了部分密钥持有者查看请求，请在控制台中查看。",
  },
  organization_transfer_too_large: {
    en: "The balance does not cover this: {available} quota units are free. Running calls hold the rest.",
    zh: "余额不足：可转出额度为 {available}，其余部分已被进行中的调用预留。",
  },
} as const;

/** Projects and budgets of organizations. */
export const budgetMessages = {
  project_not_found: { en: "This project does not exist in the organization.", zh: "该组织中没有此项目。" },
  project_name_invalid: {
    en: "Enter a project name of at most {max} characters.",
    zh: "请输入项目名称，最多 {max} 个字符。",
  },
  project_exists: {
    en: "The organization already has a project named {name}.",
    zh: "组织中已有名为「{name}」的项目。",
  },
  project_too_many: {
    en: "The organization already has {max} projects. Delete one first.",
    zh: "项目数量已达上限（{max} 个），请先删除一个。",
  },
  budget_not_found: { en: "This budget does not exist.", zh: "预算不存在。" },
  budget_limit_invalid: {
    en: "The limit must be a whole number of quota units above 0.",
    zh: "预算上限必须是大于 0 的整数额度。",
  },
  budget_exists: {
    en: "There is already a budget for this period. Change that one instead.",
    zh: "该周期已有预算，请直接修改。",
  },
  budget_target_unknown: {
    en: "The project, member or key of this budget does not belong to the organization.",
    zh: "预算对应的项目、成员或令牌不属于该组织。",
  },
  budget_too_many: {
    en: "The organization already has {max} budgets. Delete one first.",
    zh: "预算数量已达上限（{max} 个），请先删除一个。",
  },
} as const;

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
  policy_provider_unknown: { en: "There is no provider with the number {id}.", zh: "没有编号为 {id} 的服务商类型。" },
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
