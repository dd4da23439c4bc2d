import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import ButtonBase from "@mui/material/ButtonBase";
import Skeleton from "@mui/material/Skeleton";
import { useQuery } from "@tanstack/react-query";
import { useAtom } from "jotai";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { copyText, ManualCopyDialog } from "../../../components/display/CopyButton.tsx";
import { Tag } from "../../../components/display/Tag.tsx";
import { ErrorState } from "../../../components/feedback/ErrorState.tsx";
import { notifyDone } from "../../../components/feedback/notify.tsx";
import { Panel, Row } from "../../../components/layout.tsx";
import { SWITCH_FORMAT, storedAtom } from "../../../state/stored-atom.ts";
import { usableModels } from "../../tokens/token.ts";

/** Number of models shown before expansion. */
const FEW = 10;

/** The models that the user may call; a click copies the name. */
export const ModelsPanel = () => {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(usableModels);
  return (
    <Panel title={t("personal.models.title")} hint={data && t("personal.models.count", { count: data.length })}>
      {data ? (
        <Names models={data} />
      ) : error ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton variant="rounded" height={24} />
      )}
    </Panel>
  );
};

const isExpandedAtom = storedAtom("modelsExpanded", SWITCH_FORMAT);

const Names = ({ models }: { models: readonly string[] }) => {
  const { t } = useTranslation();
  const [isExpanded, setExpanded] = useAtom(isExpandedAtom);
  const [manual, setManual] = useState<string | null>(null);
  if (models.length === 0) {
    return <Box sx={{ fontSize: 13, color: "text.secondary" }}>{t("personal.models.none")}</Box>;
  }
  const copy = async (name: string) => {
    if (await copyText(name)) notifyDone(t("pricing.copied", { count: 1 }));
    else setManual(name);
  };
  return (
    <>
      <Row wrap gap={1.5} sx={{ rowGap: 1.5 }}>
        {(isExpanded ? models : models.slice(0, FEW)).map((name) => (
          <ButtonBase
            key={name}
            onClick={() => void copy(name)}
            title={t("pricing.copyOne", { name })}
            sx={{ maxWidth: "100%", borderRadius: "5px" }}
          >
            <Tag mono>{name}</Tag>
          </ButtonBase>
        ))}
      </Row>
      {models.length > FEW && (
        <Button size="small" aria-expanded={isExpanded} onClick={() => setExpanded(!isExpanded)} sx={{ mt: 3 }}>
          {isExpanded ? t("personal.models.fewer") : t("personal.models.more", { count: models.length - FEW })}
        </Button>
      )}
      {manual !== null && <ManualCopyDialog text={manual} onClose={() => setManual(null)} />}
    </>
  );
};
