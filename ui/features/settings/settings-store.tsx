import { useQuery, useQueryClient } from "@tanstack/react-query";
import { atom, useAtom, useSetAtom } from "jotai";
import { useEffect, useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { OptionKey } from "../../../src/settings/registry/index.ts";
import { exactAmountText, useMoneyFormat } from "../../components/display/Money.tsx";
import { notifyDone, notifyError, notifyInfo } from "../../components/feedback/notify.tsx";
import { SITE_TEXT_KEY } from "../../components/site/SiteText.tsx";
import { refreshSiteStatus } from "../../state/site-status.ts";
import { type OptionChange, type Options, type OptionTexts, options, putOption, saveOptions } from "./option-calls.ts";
import { SECTIONS } from "./sections.ts";
import { type SettingField, wordOf } from "./setting-field.ts";
import { faultOf, isSame, normalize, shortDefault } from "./setting-text.ts";

type Store = Options &
  Readonly<{
    /** The field's text: the draft, else the saved value. */
    textOf: (key: OptionKey) => string;
    change: (key: OptionKey, text: string) => void;
    /**
     * Saves the changed fields of all sections and shows the result. Resolves with the first field that keeps them from
     * being saved, else null.
     */
    save: () => Promise<OptionKey | null>;
    /** Saves the given texts, such as those of an editor with its own state; resolves with whether all were saved. */
    saveChanges: (changes: readonly OptionChange[]) => Promise<boolean>;
    discard: (keys: readonly OptionKey[]) => void;
    changed: ReadonlySet<OptionKey>;
  }>;

/** Unsaved drafts, kept while switching between tabs. */
const draftsAtom = atom<OptionTexts>({});

/** Discards the drafts when the user leaves the settings. */
export function useDraftsOfPage(): void {
  const setDrafts = useSetAtom(draftsAtom);
  useEffect(() => () => setDrafts({}), [setDrafts]);
}

const FIELDS = SECTIONS.flatMap(({ fields }) => fields);

/** Options that work only once the site's address is set. */
const NEEDS_SERVER_ADDRESS: ReadonlySet<OptionKey> = new Set(
  SECTIONS.filter(({ needsServerAddress }) => needsServerAddress).flatMap(({ fields }) => fields.map(({ key }) => key)),
);

/** Fetched by the page; its parts read the cache. */
const LOADED = { ...options, enabled: false };

/** The settings, saved and drafts. Throws until they are loaded. */
export function useSettings(): Store {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { data: saved } = useQuery(LOADED);
  const [drafts, setDrafts] = useAtom(draftsAtom);
  return useMemo((): Store => {
    if (!saved) throw new Error("the settings are not loaded");
    const changedFields = FIELDS.filter((field) => {
      const draft = drafts[field.key];
      return draft !== undefined && !isSame(field, saved.values[field.key] ?? "", draft);
    });
    const discard = (keys: readonly OptionKey[]) =>
      setDrafts((now) =>
        Object.fromEntries(Object.entries(now).filter(([key]) => !keys.some((other) => other === key))),
      );
    const saveChanges = async (changes: readonly OptionChange[]) => {
      if (changes.length === 0) {
        notifyInfo(t("settings.nothingChanged"));
        return false;
      }
      const result = await saveOptions(changes, putOption);
      await client.invalidateQueries(options);
      refreshSiteStatus();
      void client.invalidateQueries({ queryKey: SITE_TEXT_KEY });
      discard(result.saved);
      if (!result.firstError) notifyDone(t("settings.saved"));
      else if (result.saved.length === 0) notifyError(result.firstError);
      else notifyError(t("settings.partly", { message: result.firstError.message }));
      return result.firstError === null;
    };
    return {
      ...saved,
      textOf: (key) => drafts[key] ?? saved.values[key] ?? "",
      change: (key, text) => setDrafts((now) => ({ ...now, [key]: text })),
      discard,
      saveChanges,
      async save() {
        const serverAddress = drafts.ServerAddress ?? saved.values.ServerAddress;
        const homeless = changedFields.find(({ key }) => NEEDS_SERVER_ADDRESS.has(key));
        if (homeless && !serverAddress) {
          notifyError(t("settings.needsServerAddress"));
          return "ServerAddress";
        }
        const fault = changedFields.find((field) => faultOf(field, drafts[field.key] ?? "") !== null);
        if (fault) {
          notifyError(t("settings.checkInput"));
          return fault.key;
        }
        await saveChanges(
          changedFields.map((field) => ({ key: field.key, value: normalize(field, drafts[field.key] ?? "") })),
        );
        return null;
      },
      changed: new Set(changedFields.map(({ key }) => key)),
    };
  }, [saved, drafts, setDrafts, client, t]);
}

/** The hint of an option: what it does, and its default. */
export function useSettingHint(): (field: SettingField) => string {
  const { t } = useTranslation();
  const { defaults } = useSettings();
  const money = useMoneyFormat();
  const wordsOf = ({ kind }: SettingField, value: string): string => {
    if (kind === "choice") return t(`settings.choices.${value}`, { defaultValue: value.toUpperCase() });
    return kind === "quota" ? exactAmountText(Number(value), money) : value;
  };
  const defaultText = (field: SettingField): string => {
    if (field.kind === "secret") return "";
    const initial = defaults[field.key] ?? "";
    if (field.kind === "switch") return t(initial === "true" ? "settings.defaultOn" : "settings.defaultOff");
    const value = shortDefault(field, initial);
    if (value === "") return "";
    if (typeof value === "number") return t("settings.defaultEntries", { count: value });
    return t("settings.default", { value: wordsOf(field, value) });
  };
  return (field) => {
    const sentences = [t(`settings.fields.${wordOf(field.key)}.help`), defaultText(field)];
    return sentences.filter((sentence) => sentence !== "").join(t("settings.gap"));
  };
}
