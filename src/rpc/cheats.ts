/**
 * What test suites ask of a dev chain beyond Ethereum's own methods: one implementation each, under every name that
 * anvil, Hardhat or ganache have for it.
 */
import { quantity } from '../bytes.ts'
import { increaseTime, setBlockTimestampInterval, setNextBlockTimestamp, setTime } from '../cheats/time.ts'
import { type Method, method } from './method.ts'
import { address, boolean, integer, milliseconds, snapshotId } from './params.ts'

/** Every cheat goes by each of these: which of them a suite uses depends on what it was written for. */
const PREFIXES = ['anvil', 'evm', 'ganache', 'hardhat'] as const

type Prefixed<Methods> = {
  readonly [Name in keyof Methods & string as `${(typeof PREFIXES)[number]}_${Name}`]: Methods[Name]
}

function prefixed<Methods extends Record<string, Method>>(methods: Methods): Prefixed<Methods> {
  const names = PREFIXES.flatMap((prefix) =>
    Object.entries(methods).map(([name, one]) => [`${prefix}_${name}`, one] as const),
  )
  return Object.fromEntries(names) as unknown as Prefixed<Methods>
}

const interval = (toSeconds: (value: number) => number) =>
  method([integer], async ({ services }, value) => {
    await setBlockTimestampInterval(services.cheats, BigInt(toSeconds(value)))
    return null
  })

/** The cheats by every name they have. */
export const CHEATS = {
  ...prefixed({
    /** Lets an account send without its key, whoever it is (design, decision 33). */
    impersonateAccount: method([address], ({ services }, account) => {
      services.signers.impersonate(account)
      return null
    }),
    /** No longer lets an account send without its key; what it has sent stays. */
    stopImpersonatingAccount: method([address], ({ services }, account) => {
      services.signers.stopImpersonating(account)
      return null
    }),
    /** Lets every account send without its key, or no longer those that are not impersonated by name. */
    autoImpersonateAccount: method([boolean], ({ services }, everyone) => {
      services.signers.impersonateEveryone(everyone)
      return null
    }),
    /** Takes a snapshot. @returns its id. */
    snapshot: method([], ({ services }) => services.snapshot()),
    /** Returns to a snapshot, which is gone by that. @returns false where there is none with this id. */
    revert: method([snapshotId], ({ services }, id) => services.revert(id, false)),
    /** Moves time on by seconds. @returns how many seconds it is ahead of the clock in all. */
    increaseTime: method([integer], async ({ services }, seconds) =>
      quantity(Math.max(0, await increaseTime(services.cheats, seconds))),
    ),
    /** Sets the time. @returns how many seconds it is ahead of the clock. */
    setTime: method([milliseconds], async ({ services }, ms) =>
      quantity(Math.max(0, await setTime(services.cheats, ms))),
    ),
    /** Sets the timestamp of the next block, in seconds. @throws TimestampTooLowError */
    setNextBlockTimestamp: method([integer], async ({ services }, timestamp) => {
      await setNextBlockTimestamp(services.cheats, BigInt(timestamp))
      return null
    }),
    /** Sets the seconds between each block and the next. */
    setBlockTimestampInterval: interval((seconds) => seconds),
    /** Has timestamps follow the time again. @returns whether they did not. */
    removeBlockTimestampInterval: method([], async ({ services, sight }) => {
      await setBlockTimestampInterval(services.cheats, undefined)
      return sight.tip.settings.timestampInterval !== undefined
    }),
  }),
  /** Clients of Hardhat give milliseconds. */
  hardhat_setBlockTimestampInterval: interval((ms) => Math.floor(ms / 1000)),
}
