import { useMemo } from "react";
import { Link, Route, Switch } from "wouter";
import { usePathname } from "wouter/use-browser-location";
import { type Reach, useAnalytics } from "../api/insight";
import { Bench } from "../features/bench/bench";
import { BenchList } from "../features/bench/list";
import { ClearAnalytics } from "../features/dashboard/clear";
import { Empty } from "../features/dashboard/empty";
import { modelIn } from "../features/dashboard/model-name";
import { ModelPage } from "../features/dashboard/model-page";
import { Overview } from "../features/dashboard/overview";
import { Answered, Waiting } from "../features/dashboard/panel";
import { RangeBar } from "../features/dashboard/range-bar";
import { RecentRuns } from "../features/dashboard/recent";
import { FormatBar, type RunFormat, useFormat } from "../features/dashboard/run-format";
import { type Span, spanError } from "../features/dashboard/span";
import { Summary } from "../features/dashboard/summary";
import { useSpan } from "../features/dashboard/use-span";
import { WeightsPanel } from "../features/dashboard/weights-panel";
import { msg, t } from "../i18n";
import { useTitle } from "../ui/title";
import { NotFoundPage } from "./not-found";
import "../styles/run";
import "../styles/settings.css";
import "../styles/dashboard.css";
import "../styles/dashboard-parts.css";
import "../styles/dashboard-tables.css";
import "../styles/dashboard-lists.css";

interface FiguresProps {
  span: Span;
  format: RunFormat | null;
  onChoose: (span: Span) => void;
  onAllFormats: () => void;
}

function Figures({ span, format, onChoose, onAllFormats }: FiguresProps) {
  const reach: Reach = useMemo(
    () => ({ whose: "own", from: span.from, until: span.until, format }),
    [span, format],
  );
  const analytics = useAnalytics(reach);
  const summary = analytics.data?.summary;
  const clearedAt = summary?.cleared_at ?? null;
  if (summary && summary.total_queries === 0 && summary.total_calls === 0) {
    if (analytics.isPlaceholderData) return <Waiting />;
    return (
      <Empty
        span={span}
        format={format}
        clearedAt={clearedAt}
        onChoose={onChoose}
        onAllFormats={onAllFormats}
      />
    );
  }
  return (
    <>
      <Answered
        query={analytics}
        failed={msg("Your figures could not be loaded: {{reason}}")}
        lines={2}
      >
        {(data) => <Summary summary={data.summary} />}
      </Answered>
      {analytics.data && (
        <>
          <Overview reach={reach} />
          <RecentRuns reach={reach} />
          <WeightsPanel />
          <ClearAnalytics clearedAt={clearedAt} />
        </>
      )}
    </>
  );
}

function Own() {
  useTitle(t("Dashboard"));
  const [span, setSpan] = useSpan();
  const [format, setFormat] = useFormat();
  return (
    <>
      <header className="dashboard-head">
        <div className="dashboard-title">
          <h1>{t("Dashboard")}</h1>
          <p className="quiet">
            {t("Your own runs only. Days are in UTC.")}{" "}
            <Link href="/dashboard/bench">{t("Benches")}</Link>
          </p>
        </div>
        <div className="range">
          <RangeBar span={span} onChoose={setSpan} />
          <FormatBar format={format} onChoose={setFormat} />
        </div>
      </header>
      {!spanError(span) && (
        <Figures
          span={span}
          format={format}
          onChoose={setSpan}
          onAllFormats={() => setFormat(null)}
        />
      )}
    </>
  );
}

export default function DashboardPage() {
  const path = usePathname();
  return (
    <div className="dashboard">
      <Switch>
        <Route path="/dashboard">
          <Own />
        </Route>
        <Route path="/dashboard/models/*">
          <ModelPage key={path} model={modelIn(path, "own")} whose="own" />
        </Route>
        <Route path="/dashboard/bench">
          <BenchList />
        </Route>
        <Route path="/dashboard/bench/:id">{({ id }) => <Bench key={id} id={id} />}</Route>
        <Route>
          <NotFoundPage />
        </Route>
      </Switch>
    </div>
  );
}
