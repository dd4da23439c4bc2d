/** What the form of an identity provider and the server both check. */

/** Icons to choose from; empty: a key. */
export const SSO_ICONS = ["", "google", "microsoft", "github", "apple", "building", "shield"] as const;
export type SsoIcon = (typeof SSO_ICONS)[number];

/** The fields of each type, apart from the client's secret of `oidc`. Texts of optional ones may be empty. */
export const SSO_FIELDS = {
  oidc: {
    issuer: { isOptional: false },
    client_id: { isOptional: false },
    /** Besides `openid profile email`. */
    scopes: { isOptional: true },
    groups_claim: { isOptional: true },
    /** `true`: addresses of the provider's domains count although it does not say whether it verified them. */
    trust_email: { isOptional: true },
    /** `true`: a sign-out here ends the session at the provider too. */
    sign_out: { isOptional: true },
  },
  saml: {
    entry_point: { isOptional: false },
    idp_issuer: { isOptional: false },
    /** One or more, in PEM. */
    certificate: { isOptional: false },
    email_attribute: { isOptional: true },
    name_attribute: { isOptional: true },
    groups_attribute: { isOptional: true },
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, { isOptional: boolean }>>>>;

export type SsoType = keyof typeof SSO_FIELDS;

export const SSO_TYPES = Object.keys(SSO_FIELDS) as readonly SsoType[];

/** What a group can make somebody; owners are appointed by people. */
export const MAPPED_ROLES = ["admin", "billing", "developer", "viewer"] as const;
export type MappedRole = (typeof MAPPED_ROLES)[number];

/** Stands for a group that everybody is in who signs in with the provider, until SCIM deletes them. */
export const EVERYBODY = "*";

const DOMAIN = /^([a-z0-9](-*[a-z0-9])*\.)+[a-z0-9-]{2,63}$/;

/** Whether a text is a domain of email addresses, in lower case. */
export const isDomain = (text: string): boolean => text.length <= 253 && DOMAIN.test(text);

/** The domain of an email address, in lower case; empty when it is none. */
export const domainOf = (email: string): string => email.slice(email.lastIndexOf("@") + 1).toLowerCase();

/** An identity provider of a company, by its number: in addresses, and in the table of identities. */
export type SsoName = `sso-${number}`;

/** Whether a text names an identity provider of a company. */
export const isSsoName = (text: string): text is SsoName => /^sso-[1-9]\d{0,8}$/.test(text);
