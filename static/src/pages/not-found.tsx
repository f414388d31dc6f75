import { Link } from "wouter";
import { useTitle } from "../ui/title";

export function NotFoundPage() {
  useTitle("Not found");
  return (
    <div className="page-notice">
      <h1>There is nothing here</h1>
      <p>
        The address may be mistyped. <Link href="/">Start a new conversation</Link>, or pick one
        from the list.
      </p>
    </div>
  );
}
