/** Explanations as JSON. */
import type { Explanation } from './tree.ts'

/** An explanation as JSON, with bigints as decimal strings. @param indent - spaces per level; default: none. */
export function explanationToJson(explanation: Explanation, indent?: number): string {
  const replace = (_key: string, value: unknown) => (typeof value === 'bigint' ? `${value}` : value)
  return JSON.stringify(explanation, replace, indent)
}
