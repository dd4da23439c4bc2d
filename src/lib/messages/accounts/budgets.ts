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
