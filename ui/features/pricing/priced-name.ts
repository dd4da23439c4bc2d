/** The name under which a model's price is kept: every custom GPT has its own name but one price. */
export const pricedName = (model: string): string => model.replace(/^(gpt-4o?-gizmo).*$/, "$1-*");
