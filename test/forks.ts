import { FORKS, type ForkRules } from '../src/protocol/gas.ts'

/** The rules with every fork up to this one active. */
export function forksUpTo(last: (typeof FORKS)[number]): ForkRules {
  return Object.fromEntries(FORKS.map((name, i) => [name, i <= FORKS.indexOf(last)])) as ForkRules
}
