import type { ChannelForm } from "../channel-form.ts";
import type { ChannelFaults } from "../check-channel-form.ts";

/** What each section of the drawer works on. */
export type SectionProps = Readonly<{
  form: ChannelForm;
  faults: ChannelFaults;
  change: (fields: Partial<ChannelForm>) => void;
}>;
