import Bolt from "@mui/icons-material/BoltOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Tab from "@mui/material/Tab";
import Tabs from "@mui/material/Tabs";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { usableModels } from "../../../api/api-keys/api-key.ts";
import { CHANNELS_KEY, channelTypes } from "../../../api/channels/channel-lists.ts";
import { FormDrawer } from "../../../components/feedback/FormDrawer.tsx";
import { notifyDone } from "../../../components/feedback/notify.tsx";
import { DraftOffer } from "../../../components/form/DraftOffer.tsx";
import { ManagedFields, useManaged } from "../../../components/form/Managed.tsx";
import { useCheckedForm } from "../../../components/form/use-checked-form.ts";
import { useDraft } from "../../../components/form/use-draft.ts";
import { Row } from "../../../components/layout.tsx";
import { ChannelStatus } from "../cells/status-cells.tsx";
import type { Channel } from "../channel.ts";
import { createChannel, updateChannel } from "../channel-calls.ts";
import { ErrorsTab } from "../health/ErrorsTab.tsx";
import { HealthTab } from "../health/HealthTab.tsx";
import { TestDialog } from "../health/TestDialog.tsx";
import { AdvancedSection } from "./AdvancedSection.tsx";
import { BasicsSection } from "./BasicsSection.tsx";
import { bodyOf, type ChannelForm, changedBodyOf, changesOf, checkChannelForm } from "./form/channel-form.ts";
import { KeysSection } from "./KeysSection.tsx";
import { ModelsSection } from "./ModelsSection.tsx";
import { RoutingSection } from "./RoutingSection.tsx";

/** Keys, and texts that may hold some: no draft has them. */
const SECRET_FIELDS: readonly (keyof ChannelForm)[] = [
  "key",
  "baseUrl",
  "other",
  "headerOverride",
  "paramOverride",
  "setting",
];

type ChannelFormDrawerProps = Readonly<{ stored: Channel | null; initial: ChannelForm; onClose: () => void }>;

/** The server's answers to a change that would send the stored key elsewhere. */
const KEY_REQUIRED_AGAIN: readonly string[] = ["channel_key_required_again", "channel_reference_required_again"];

/** The form: nothing is sent until it is valid. */
export const ChannelFormDrawer = ({ stored, initial: read, onClose }: ChannelFormDrawerProps) => {
  const { t } = useTranslation();
  const client = useQueryClient();
  const types = useQuery(channelTypes).data ?? [];
  const managed = useManaged()(stored && { section: "channels", id: stored.id });
  const [isTesting, setTesting] = useState(false);
  const [tab, setTab] = useState<ChannelTab>("settings");

  const typeOf = (form: ChannelForm) => types.find(({ id }) => id === form.type);
  const send = async (form: ChannelForm) => {
    if (stored) await updateChannel(stored.id, changedBodyOf(initial, form));
    else await createChannel(bodyOf(form));
    notifyDone(t(stored ? "channels.saved" : "channels.created", { name: form.name.trim() }));
    void client.invalidateQueries({ queryKey: CHANNELS_KEY });
    void client.invalidateQueries({ queryKey: usableModels.queryKey });
    close();
  };
  const state = useCheckedForm({
    initial: read,
    check: (form) => checkChannelForm(form, stored && read, typeOf(form)?.defaultBaseUrl === null),
    send,
    onFaulty: () => setTab("settings"),
  });
  const { initial, form, change, faults } = state;
  const name = stored ? `channel-${stored.id}` : "channel";
  const draft = useDraft({ name, form, isDirty: state.isDirty, secrets: SECRET_FIELDS, change });
  const close = () => {
    draft.forget();
    onClose();
  };
  const type = typeOf(form);
  const changed = changesOf(initial, form);
  const section = { form, faults, change };
  return (
    <FormDrawer
      state={state}
      title={stored ? t("channels.form.editTitle", { name: stored.name }) : t("channels.form.createTitle")}
      subtitle={
        stored && (
          <>
            <span>#{stored.id}</span>
            <ChannelStatus channel={stored} />
          </>
        )
      }
      action={stored ? t("channels.form.save") : t("channels.form.create")}
      isNew={stored === null}
      isReadOnly={managed?.isLocked ?? false}
      isDirty={changed > 0}
      note={<FooterNote faults={Object.keys(faults).length} changed={stored ? changed : 0} />}
      buttons={
        stored && (
          <Button startIcon={<Bolt />} onClick={() => setTesting(true)}>
            {t("channels.test.action")}
          </Button>
        )
      }
      onClose={close}
    >
      <DraftOffer draft={draft} />
      {stored && <ChannelTabs value={tab} onChange={setTab} />}
      {stored && tab === "health" && <HealthTab channelId={stored.id} />}
      {stored && tab === "errors" && <ErrorsTab channelId={stored.id} />}
      <Box hidden={tab !== "settings"}>
        <ManagedFields managed={managed}>
          <BasicsSection {...section} types={types} storedId={stored?.id} />
          <KeysSection
            {...section}
            stored={stored}
            keyHint={type?.keyHint ?? ""}
            regions={type?.regions?.place === "key" ? type.regions.names : []}
            requiredAgain={KEY_REQUIRED_AGAIN.includes(state.problemCode) ? state.problem : null}
          />
          <ModelsSection {...section} types={types} storedId={stored?.id ?? null} />
          <RoutingSection {...section} />
          <AdvancedSection {...section} />
        </ManagedFields>
      </Box>
      {stored && isTesting && <TestDialog channel={stored} onClose={() => setTesting(false)} />}
    </FormDrawer>
  );
};

/** Footer text: that fields are invalid, else how many have changed. */
const FooterNote = ({ faults, changed }: { faults: number; changed: number }) => {
  const { t } = useTranslation();
  if (faults === 0 && changed === 0) return null;
  return (
    <Row gap={2} sx={{ fontSize: 12.5, color: faults ? "tone.bad.text" : "text.secondary" }}>
      <Box
        sx={{
          width: 6,
          height: 6,
          flex: "none",
          borderRadius: "50%",
          bgcolor: faults ? "tone.bad.solid" : "tone.warn.solid",
        }}
      />
      {faults ? t("channels.form.checkInput") : t("channels.form.unsaved", { count: changed })}
    </Row>
  );
};

const TABS = ["settings", "health", "errors"] as const;
type ChannelTab = (typeof TABS)[number];

/** Tabs of a stored channel: form, health, errors. */
const ChannelTabs = ({ value, onChange }: { value: ChannelTab; onChange: (tab: ChannelTab) => void }) => {
  const { t } = useTranslation();
  return (
    <Tabs
      value={value}
      onChange={(_, tab: ChannelTab) => onChange(tab)}
      aria-label={t("channels.tabs.label")}
      sx={{ mt: -3, mb: 4 }}
    >
      {TABS.map((name) => (
        <Tab key={name} value={name} label={t(`channels.tabs.${name}`)} />
      ))}
    </Tabs>
  );
};
