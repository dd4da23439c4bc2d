import type { SiteStatus } from "../../site-status.ts";

/** Whether the site takes new users. */
export const isRegistrationOpen = (site: SiteStatus): boolean => site.register_enabled && !site.self_use_mode_enabled;
