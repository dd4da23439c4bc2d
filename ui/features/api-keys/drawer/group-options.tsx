import Box from "@mui/material/Box";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { usableGroups } from "../../../api/api-keys/api-key.ts";
import type { ToneName } from "../../../components/display/StatusChip.tsx";
import { Tag } from "../../../components/display/Tag.tsx";

/** Color of a group's ratio: above 5 red, above 3 orange, above 1 blue, else green. */
export function ratioTone(ratio: number): ToneName {
  if (ratio > 5) return "bad";
  if (ratio > 3) return "warn";
  return ratio > 1 ? "info" : "ok";
}

/** Lists the groups that a key can have, with their price ratios; the one that it has is among them. */
export function useGroupOptions() {
  const { t } = useTranslation();
  const groups = useQuery(usableGroups).data ?? {};
  return (group: string): readonly (readonly [value: string, text: ReactNode, isDisabled?: boolean])[] => {
    const names = new Set([...(group === "" ? [] : [group]), ...Object.keys(groups)]);
    if (names.size === 0)
      return [
        ["", t("apiKeys.ownGroup")],
        ["-", t("apiKeys.form.groupNone"), true],
      ];
    return [
      ["", t("apiKeys.ownGroup")],
      ...[...names].map((name) => [name, <GroupOption key={name} name={name} group={groups[name]} />] as const),
    ];
  };
}

/** Lists the groups that can follow another one. */
export function useGroupNames() {
  const groups = useQuery(usableGroups).data ?? {};
  return (first: string): string[] => Object.keys(groups).filter((name) => name !== first && name !== "auto");
}

type GroupOptionProps = Readonly<{ name: string; group: Readonly<{ desc: string; ratio: number }> | undefined }>;

const GroupOption = ({ name, group }: GroupOptionProps) => (
  <>
    <Box sx={{ flex: 1, minWidth: 0 }}>
      {name}
      {group && group.desc !== name && (
        <Box component="span" sx={{ ml: 2, color: "text.tertiary" }}>
          {group.desc}
        </Box>
      )}
    </Box>
    {group && (
      <Box className="num" sx={{ ml: 4 }}>
        <Tag tone={ratioTone(group.ratio)}>× {group.ratio}</Tag>
      </Box>
    )}
  </>
);
