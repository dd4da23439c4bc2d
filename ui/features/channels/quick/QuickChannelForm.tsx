import Alert from "@mui/material/Alert";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useId, useState } from "react";
import { createPortal } from "react-dom";
import { useTranslation } from "react-i18next";
import { baseUrlError } from "../../../../src/domain/channels/routing/channel-rules.ts";
import type { ChannelType } from "../../../../src/providers/registry.ts";
import { usableModels } from "../../../api/api-keys/api-key.ts";
import { CHANNELS_KEY, channelTypes } from "../../../api/channels/channel-lists.ts";
import { useCheckedForm } from "../../../components/form/use-checked-form.ts";
import { LabelledInput } from "../../../components/inputs/LabelledInput.tsx";
import { Col, Row } from "../../../components/layout.tsx";
import { pricedModels } from "../channel-queries.ts";
import { CallUrl } from "../drawer/form/CallUrl.tsx";
import { cleanBaseUrl } from "../drawer/form/channel-form.ts";
import { type AddedChannel, addChannel, type Phase } from "./add-channel.ts";
import { COMPATIBLE, ProviderTiles } from "./ProviderTiles.tsx";

/** Channel types by the form of their keys; a key may fit several providers, most likely one first. */
const FORMS: readonly (readonly [form: RegExp, types: readonly number[]])[] = [
  [/^sk-ant-/, [14]],
  [/^sk-or-/, [20]],
  [/^sk-(proj|svcacct|admin)-/, [1]],
  [/^AIza[\w-]{30,}$/, [24]],
  [/^xai-/, [48]],
  [/^gsk_/, [1000]],
  [/^nvapi-/, [1004]],
  [/^fw_/, [1002]],
  [/^hf_/, [1005]],
  [/^pplx-/, [1003]],
  [/^jina_/, [38]],
  [/^(pa|al)-[\w-]{40,}$/, [1016]],
  [/^app-/, [37]],
  [/^fastgpt-/, [22]],
  [/^vda_/, [1011]],
  [/^key_[0-9a-f]{64,}$/, [1012]],
  [/^bce-v3\//, [46]],
  [/^\{[\s\S]*"service_account"/, [41]],
  [/^[0-9a-f]{32}\.\w{16}$/i, [26]],
  [/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, [45]],
  [/^sk-[0-9a-f]{32}$/, [43, 17]],
  [/^sk-[a-z]{48}$/, [40]],
  [/^sk-\w{48}$/, [1, 25]],
  [/^[A-Za-z0-9]{32}$/, [42]],
  [/^[A-Za-z0-9]{40}$/, [34]],
  [/^[0-9a-f]{64}$/, [1001]],
];

/** The channel types whose keys look like this one, most likely first; empty if none is known. */
export function typesOfKey(key: string): readonly number[] {
  const text = key.trim();
  return FORMS.find(([form]) => form.test(text))?.[1] ?? [];
}

type QuickForm = Readonly<{
  key: string;
  /** A channel type, `COMPATIBLE`, or null: by the key's form. */
  provider: number | null;
  baseUrl: string;
}>;

const EMPTY: QuickForm = { key: "", provider: null, baseUrl: "" };
const OPENAI_TYPE = 1;
const NONE: readonly ChannelType[] = [];

/** Without a key an own server still needs some text as one. */
const NO_KEY = "none";

type QuickChannelFormProps = Readonly<{
  onAdded: (channel: AddedChannel) => void;
  onAllSettings: () => void;
  /** Where its buttons stand instead of below its fields, with one more; null: that place is not drawn yet. */
  footer?: Readonly<{ place: HTMLElement | null; cancel: ReactNode }>;
}>;

/** Adds a channel from a key alone: finds the provider, fetches its models, stores the channel and tests it. */
export const QuickChannelForm = ({ onAdded, onAllSettings, footer }: QuickChannelFormProps) => {
  const { t } = useTranslation();
  const id = useId();
  const client = useQueryClient();
  const types = useQuery(channelTypes).data ?? NONE;
  const [phase, setPhase] = useState<Phase>("models");
  const [isPointed, setPointed] = useState(false);
  const typesOf = ({ key, provider }: QuickForm): readonly ChannelType[] => {
    const ids = provider === COMPATIBLE ? [OPENAI_TYPE] : provider === null ? typesOfKey(key) : [provider];
    return ids.flatMap((id) => types.find((type) => type.id === id) ?? []);
  };
  const needsUrl = (form: QuickForm) =>
    form.provider === COMPATIBLE || typesOf(form).some(({ defaultBaseUrl }) => defaultBaseUrl === null);
  const check = (form: QuickForm) => ({
    key: form.key.trim() === "" && form.provider !== COMPATIBLE ? ("key" as const) : undefined,
    provider: form.key.trim() !== "" && typesOf(form).length === 0 ? ("provider" as const) : undefined,
    baseUrl: !needsUrl(form)
      ? undefined
      : form.baseUrl.trim() === ""
        ? ("baseUrl" as const)
        : baseUrlError(form.baseUrl) && ("baseUrlInvalid" as const),
  });
  const { form, change, faults, problem, isSaving, submit } = useCheckedForm({
    initial: EMPTY,
    check,
    rejection: "inline",
    send: async (form) => {
      const priced = await client.ensureQueryData(pricedModels);
      const quick = {
        types: typesOf(form),
        key: form.key.trim() || NO_KEY,
        baseUrl: needsUrl(form) ? cleanBaseUrl(form.baseUrl) : "",
        priced,
      };
      const added = await addChannel(quick, setPhase);
      void client.invalidateQueries({ queryKey: CHANNELS_KEY });
      void client.invalidateQueries({ queryKey: usableModels.queryKey });
      onAdded(added);
    },
  });
  const candidates = typesOf(form);
  const [first] = candidates;
  const errorOf = (field: "key" | "baseUrl") => faults[field] && t(`channels.quick.errors.${faults[field]}`);
  const add = (
    <Button type="submit" form={id} variant="contained" color="primary" loading={isSaving} loadingPosition="start">
      {t("channels.add")}
    </Button>
  );
  const status = (
    <Box role="status" sx={{ fontSize: 12.5, color: "text.secondary" }}>
      {isSaving && t(`channels.quick.phases.${phase}`)}
    </Box>
  );
  const allSettings = !isSaving && (
    <Button onClick={onAllSettings} variant="text" size="small">
      {t("channels.quick.allSettings")}
    </Button>
  );
  const space = <Box sx={{ flex: 1 }} />;
  return (
    <form id={id} onSubmit={submit} noValidate>
      <Col gap={4}>
        <LabelledInput
          label={t("channels.quick.key")}
          autoFocus
          value={form.key}
          onChange={(key) => change({ key })}
          error={errorOf("key")}
          hint={<KeyHint form={form} candidates={candidates} />}
          placeholder={t("channels.quick.keyPlaceholder")}
          autoComplete="off"
          inputProps={{ className: "mono", spellCheck: false, "data-1p-ignore": true }}
        />
        <ProviderTiles
          types={types.filter(({ endedOn }) => endedOn === null)}
          value={form.provider ?? (candidates.length === 1 && first ? first.id : null)}
          likely={candidates.map(({ id }) => id)}
          onChange={(provider, isPointed) => {
            setPointed(isPointed);
            change({ provider });
          }}
          error={faults.provider && t("channels.quick.errors.provider")}
        />
        {needsUrl(form) && (
          <LabelledInput
            label={t("channels.form.baseUrl")}
            // A provider that needs one more thing asks for it.
            autoFocus={isPointed}
            value={form.baseUrl}
            onChange={(baseUrl) => change({ baseUrl })}
            error={errorOf("baseUrl")}
            hint={
              <>
                {t("channels.quick.baseUrlHint")}
                {first && (
                  <CallUrl form={{ type: first.id, base_url: form.baseUrl, other: "", model: "", key: form.key }} />
                )}
              </>
            }
            placeholder="https://api.example.com"
            inputProps={{ spellCheck: false, inputMode: "url" }}
          />
        )}
        {problem && (
          <Alert role="alert" severity="error">
            {problem}
          </Alert>
        )}
        {footer ? (
          footer.place &&
          createPortal(
            <>
              {allSettings}
              {status}
              {space}
              {footer.cancel}
              {add}
            </>,
            footer.place,
          )
        ) : (
          <Row gap={3} wrap>
            {add}
            {status}
            {space}
            {allSettings}
          </Row>
        )}
      </Col>
    </form>
  );
};

/** Says whose key this looks like, or that several providers will be asked. */
const KeyHint = ({ form, candidates }: { form: QuickForm; candidates: readonly ChannelType[] }) => {
  const { t } = useTranslation();
  const [first] = candidates;
  if (form.provider !== null || form.key.trim() === "") return t("channels.quick.keyHint");
  if (!first) return t("channels.quick.unknown");
  if (candidates.length === 1) return t("channels.quick.recognized", { name: first.name });
  return t("channels.quick.ambiguous", { names: candidates.map(({ name }) => name).join(" / ") });
};
