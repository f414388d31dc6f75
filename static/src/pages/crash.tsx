import { Component, type ReactNode } from "react";
import { Notice } from "../ui/notice";

/** Keeps the sidebar and what is typed when a view cannot be drawn. */
export class Crash extends Component<{ children: ReactNode }, { error: Error | null }> {
  override state: { error: Error | null } = { error: null };

  static getDerivedStateFromError(error: unknown) {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override render() {
    const { error } = this.state;
    if (!error) return this.props.children;
    return (
      <div className="page-notice">
        <Notice tone="bad" urgent>
          <strong>This view could not be shown.</strong> Nothing is lost; the conversation is kept
          at the server. <a href={location.pathname}>Reload the page</a>. ({error.message})
        </Notice>
      </div>
    );
  }
}
