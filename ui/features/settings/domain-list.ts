const DOMAIN = /^(?=.{1,253}$)([a-z0-9](-*[a-z0-9])*\.)+[a-z0-9-]{2,63}$/;

/** The domains of a list that is kept with commas. */
export const domainsOf = (text: string): string[] => text.split(/[,\s]+/).filter(Boolean);

/** The list with a domain more, or why it is not taken: a word under `settings.domains`. */
export function addDomain(list: string, typed: string): { list: string } | { fault: "invalid" | "duplicate" } {
  const domain = typed.trim().toLowerCase();
  if (!DOMAIN.test(domain)) return { fault: "invalid" };
  const domains = domainsOf(list);
  if (domains.includes(domain)) return { fault: "duplicate" };
  return { list: [...domains, domain].join(",") };
}
