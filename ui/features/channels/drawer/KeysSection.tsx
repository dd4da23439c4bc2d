import Delete from "@mui/icons-material/DeleteOutlineOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import IconButton from "@mui/material/IconButton";
import OutlinedInput from "@mui/material/OutlinedInput";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { CopyButton } from "../../../components/display/CopyButton.tsx";
import { notifyError } from "../../../components/feedback/notify.tsx";
import { Section } from "../../../components/feedback/SideDrawer.tsx";
import { Field, Row } from "../../../components/layout.tsx";
import { useSession } from "../../../state/session.ts";
import { isSuperAdmin } from "../../../state/stored-user.ts";
import type { Channel } from "../channel.ts";
import { getChannelWithKeys } from "../channel-calls.ts";
import type { SectionProps } from "./form/channel-form.ts";
import { holdsSeveralKeys, keysOf, maskKey, splitKeys, VERTEX_TYPE } from "./form/channel-form.ts";
import { regionOfKey, withRegion } from "./form/key-region.ts";
import { RegionInput } from "./form/RegionInput.tsx";
import { useTypeWords } from "./TypeSelect.tsx";

type KeysSectionProps = SectionProps & {
  stored: Channel | null;
  keyHint: string;
  /** The service's regions, where its keys name one. */
  regions: readonly string[];
  /** Why the stored key must be entered again; null: it need not. */
  requiredAgain: string | null;
};

/** The channel's keys: stored keys stay until replaced; several are shown as a list. */
export const KeysSection = ({ form, faults, change, stored, keyHint, regions, requiredAgain }: KeysSectionProps) => {
  const { t } = useTranslation();
  const id = useId();
  const words = useTypeWords(form.type);
  const [isReplacing, setReplacing] = useState(stored === null);
  // Entering it stays open while the form is sent again.
  if (requiredAgain !== null && !isReplacing) setReplacing(true);
  const isRequiredAgain = requiredAgain !== null && form.key.trim() === "";
  const error = faults.key ? t(`channels.form.errors.${faults.key}`) : isRequiredAgain ? requiredAgain : undefined;
  if (stored && !isReplacing) {
    return (
      <Section title={t("channels.form.keys")}>
        <StoredKeys channel={stored} onReplace={() => setReplacing(true)} />
      </Section>
    );
  }
  const mayBeSeveral = holdsSeveralKeys(form.key, form.type);
  return (
    <Section title={t("channels.form.keys")} hint={form.severalKeys ? t("channels.form.severalHint") : undefined}>
      {form.severalKeys ? (
        <KeyList
          keys={splitKeys(form.key)}
          onChange={(keys) => change({ key: keys.join("\n"), severalKeys: keys.length > 0 })}
        />
      ) : (
        <Field
          label={t("channels.form.key")}
          htmlFor={`${id}key`}
          error={error}
          hint={[
            words.key,
            stored && requiredAgain === null
              ? t("channels.form.keyKeep")
              : form.type !== VERTEX_TYPE && t("channels.form.keyHint"),
          ]
            .filter(Boolean)
            .join(" ")}
        >
          <OutlinedInput
            id={`${id}key`}
            fullWidth
            multiline
            maxRows={10}
            value={form.key}
            error={error !== undefined}
            placeholder={keyHint}
            autoComplete="off"
            inputProps={{ className: "mono", spellCheck: false, "data-1p-ignore": true }}
            onPaste={(event) => {
              const pasted = event.clipboardData.getData("text");
              if (form.key.trim() !== "" || !holdsSeveralKeys(pasted, form.type)) return;
              event.preventDefault();
              change({ key: pasted, severalKeys: true });
            }}
            onChange={(event) => change({ key: event.target.value })}
          />
        </Field>
      )}
      {regions.length > 0 && !form.severalKeys && !mayBeSeveral && (
        <Field label={t("channels.form.other.41")} htmlFor={`${id}region`} optional={t("channels.form.optional")}>
          <RegionInput
            id={`${id}region`}
            value={regionOfKey(form.key)}
            isWrong={false}
            multiline={false}
            disabled={form.key.trim() === ""}
            regions={regions}
            onChange={(region) => {
              if (region !== regionOfKey(form.key)) change({ key: withRegion(form.key, region) });
            }}
          />
        </Field>
      )}
      {(form.severalKeys || mayBeSeveral || stored) && (
        <Row gap={1}>
          {(form.severalKeys || mayBeSeveral) && (
            <Button size="small" variant="text" onClick={() => change({ severalKeys: !form.severalKeys })}>
              {form.severalKeys ? t("channels.form.severalOff") : t("channels.form.severalOn")}
            </Button>
          )}
          {stored && requiredAgain === null && (
            <Button
              size="small"
              variant="text"
              onClick={() => {
                change({ key: "", severalKeys: false });
                setReplacing(false);
              }}
            >
              {t("channels.form.keyReplaceCancel")}
            </Button>
          )}
        </Row>
      )}
    </Section>
  );
};

/** The stored keys, masked until revealed. */
const StoredKeys = ({ channel, onReplace }: { channel: Channel; onReplace: () => void }) => {
  const { t } = useTranslation();
  const { user } = useSession();
  const [clear, setClear] = useState<string | null>(null);
  const show = () => getChannelWithKeys(channel.id).then(({ key }) => setClear(key), notifyError);
  const keys = clear === null ? channel.key.split(",") : keysOf(clear, channel.type);
  return (
    <Box sx={{ border: "1px solid", borderColor: "line.main", borderRadius: 1, overflow: "hidden" }}>
      <Box sx={{ maxHeight: 200, overflowY: "auto" }} tabIndex={0} role="group" aria-label={t("channels.form.keys")}>
        {keys.map((key, index) => (
          <Row
            // biome-ignore lint/suspicious/noArrayIndexKey: masked keys may look the same
            key={index}
            gap={3}
            sx={{ minHeight: 40, px: 3, borderTop: index ? "1px solid" : 0, borderColor: "line.faint" }}
          >
            <Box component="code" sx={{ flex: 1, overflowWrap: "anywhere", whiteSpace: "pre-wrap", py: 1 }}>
              {key}
            </Box>
            {clear !== null && <CopyButton text={key} />}
          </Row>
        ))}
      </Box>
      <Row
        gap={1}
        wrap
        sx={{
          minHeight: 40,
          px: 3,
          borderTop: "1px solid",
          borderColor: "line.main",
          bgcolor: "surface.sunken",
          fontSize: 12.5,
          color: "text.secondary",
        }}
      >
        <span>{t("channels.form.keyStored", { count: channel.keys.total })}</span>
        <Box sx={{ flex: 1 }} />
        {/* Only super administrators may read keys. */}
        {isSuperAdmin(user) && (
          <Button size="small" variant="text" onClick={() => (clear === null ? show() : setClear(null))}>
            {clear === null ? t("channels.form.keyShow") : t("channels.form.keyHide")}
          </Button>
        )}
        <Button size="small" variant="text" onClick={onReplace}>
          {t("channels.form.keyReplace")}
        </Button>
      </Row>
    </Box>
  );
};

/** Several new keys, one per row, masked; more can be pasted below. */
const KeyList = ({ keys, onChange }: { keys: readonly string[]; onChange: (keys: string[]) => void }) => {
  const { t } = useTranslation();
  const [more, setMore] = useState("");
  const add = () => {
    onChange([...new Set([...keys, ...splitKeys(more)])]);
    setMore("");
  };
  return (
    <Box sx={{ border: "1px solid", borderColor: "line.main", borderRadius: 1, overflow: "hidden" }}>
      <Box sx={{ maxHeight: 240, overflowY: "auto" }}>
        {keys.map((key, index) => (
          <Row
            key={key}
            gap={3}
            sx={{ height: 36, px: 3, borderTop: index ? "1px solid" : 0, borderColor: "line.faint" }}
          >
            <code>{maskKey(key)}</code>
            <Box sx={{ flex: 1 }} />
            <IconButton
              size="small"
              aria-label={t("channels.form.removeKey", { key: maskKey(key) })}
              onClick={() => onChange(keys.filter((other) => other !== key))}
            >
              <Delete />
            </IconButton>
          </Row>
        ))}
      </Box>
      <Row sx={{ p: 2, borderTop: "1px solid", borderColor: "line.main", bgcolor: "surface.sunken" }}>
        <Box sx={{ fontSize: 12.5, color: "text.secondary", whiteSpace: "nowrap", px: 1 }}>
          {t("channels.form.severalFound", { count: keys.length })}
        </Box>
        <OutlinedInput
          fullWidth
          multiline
          maxRows={4}
          value={more}
          placeholder={t("channels.form.addKeysPlaceholder")}
          inputProps={{ className: "mono", "aria-label": t("channels.form.addKeysPlaceholder"), spellCheck: false }}
          onChange={(event) => setMore(event.target.value)}
        />
        <Button disabled={more.trim() === ""} onClick={add}>
          {t("channels.form.addKeys")}
        </Button>
      </Row>
    </Box>
  );
};
