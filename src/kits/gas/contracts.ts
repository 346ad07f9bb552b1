/** The contracts that a report can name: from artifacts of Hardhat, Foundry or viem's form, and from build info. */
import { type Contract, readArtifacts } from '../../inspect/explain/artifacts.ts'

/** A contract and the name that reports have for it. */
export interface NamedContract {
  /** The name with the path of the source, such as `contracts/Token.sol:Token`; the name alone if no source is known. */
  readonly qualifiedName: string
  readonly contract: Contract
}

/**
 * Reads artifacts. What is no artifact is left out, as are contracts without code, such as interfaces.
 *
 * @param artifacts - artifacts by name, whose own names take precedence; build info has several contracts.
 * @param note - called with what is malformed.
 */
export function readContracts(
  artifacts: readonly (readonly [name: string, artifact: unknown])[],
  note: (text: string) => void = () => {},
): NamedContract[] {
  const { contracts, notes } = readArtifacts(Object.fromEntries(artifacts))
  for (const text of notes) note(text)
  const named = contracts
    .filter(({ runtime, creation }) => runtime !== undefined || creation !== undefined)
    .map((contract) => ({ qualifiedName: qualifiedNameOf(contract), contract }))
    .sort((a, b) => compareTexts(a.qualifiedName, b.qualifiedName))
  // Artifacts and build info of one contract.
  return named.filter(({ qualifiedName }, at) => qualifiedName !== named[at - 1]?.qualifiedName)
}

/** Compares by code units, as every machine does. */
export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function qualifiedNameOf({ source, name }: Contract): string {
  return source === undefined ? name : `${source}:${name}`
}
