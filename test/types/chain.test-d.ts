import { describe, expectTypeOf, test } from 'vitest'
import {
  type Address,
  type ChainOptions,
  type Clock,
  createChain,
  createManualClock,
  type DevAccount,
  type Hex,
  type ImportOptions,
  type ManualClock,
  type PresealChain,
  type Provider,
  type SealedBlock,
  systemClock,
} from '../../src/index.ts'
import { connectChain } from '../../src/kits/worker/index.ts'

declare const options: ChainOptions
declare const maybe: ManualClock | undefined
declare const bytes: Uint8Array

describe('types of a chain', () => {
  test('the clock of a chain has the type of the given clock', async () => {
    const chain = await createChain({ clock: createManualClock() })
    expectTypeOf(chain.clock).toEqualTypeOf<ManualClock>()
    expectTypeOf(chain.clock.advance(200)).resolves.toEqualTypeOf<void>()
    expectTypeOf(chain.on('block', () => {}).clock).toEqualTypeOf<ManualClock>()
    expectTypeOf(chain).toExtend<PresealChain>()
    expectTypeOf(
      (await createChain({ ...options, clock: createManualClock() })).clock,
    ).toEqualTypeOf<ManualClock>()
    expectTypeOf((await createChain({ clock: systemClock })).clock).toEqualTypeOf<Clock>()
  })

  test('a chain can be advanced with a manual clock only', async () => {
    const chain = await createChain({ clock: createManualClock() })
    expectTypeOf(chain.advance).toEqualTypeOf<(ms: number) => Promise<void>>()
    expectTypeOf(chain.on('block', () => {}).advance(200)).resolves.toEqualTypeOf<void>()
    expectTypeOf(chain).toEqualTypeOf<PresealChain<ManualClock>>()
    interface OwnClock extends Clock {
      advance(ms: number): Promise<void>
    }
    expectTypeOf<PresealChain<OwnClock>>().toHaveProperty('advance')
    expectTypeOf<PresealChain>().not.toHaveProperty('advance')
    // @ts-expect-error the system's clock cannot be advanced
    ;(await createChain()).advance
    // @ts-expect-error nor can it if it was given
    ;(await createChain({ clock: systemClock })).advance
    // @ts-expect-error the clock may be missing
    ;(await createChain({ clock: maybe })).advance
  })

  test('an import can be verified by ethereumjs alone', async () => {
    const chain = await createChain()
    expectTypeOf(chain.importBlocks(bytes)).resolves.toEqualTypeOf<SealedBlock>()
    expectTypeOf(chain.importBlocks).parameter(1).toEqualTypeOf<ImportOptions | undefined>()
    chain.importBlocks(bytes, { verify: 'ethereumjs' })
    chain.importBlocks(bytes, { verify: undefined })
    // @ts-expect-error there is no other implementation
    chain.importBlocks(bytes, { verify: 'geth' })
    const remote = await connectChain(new MessageChannel().port1)
    expectTypeOf(remote.importBlocks).toEqualTypeOf(chain.importBlocks)
    expectTypeOf(remote.reopenDatabase).toEqualTypeOf(chain.reopenDatabase)
  })

  test('the clock of a chain is a Clock unless one was certainly given', async () => {
    expectTypeOf(createChain()).resolves.toEqualTypeOf<PresealChain>()
    expectTypeOf(createChain({ mining: 'manual' })).resolves.toEqualTypeOf<PresealChain>()
    expectTypeOf(createChain(options)).resolves.toEqualTypeOf<PresealChain>()
    expectTypeOf(createChain({ clock: maybe })).resolves.toEqualTypeOf<PresealChain>()
    expectTypeOf<PresealChain['clock']>().toEqualTypeOf<Clock>()
    // @ts-expect-error the system's clock cannot be advanced
    ;(await createChain()).clock.advance(200)
  })

  test('only a manual clock has the time by which it was advanced', () => {
    expectTypeOf(createManualClock().elapsed).toEqualTypeOf<number>()
    // @ts-expect-error the system's clock has no start
    systemClock.elapsed
  })

  test('a chain has its settings, also on a page', async () => {
    const chain = await createChain()
    const remote = await connectChain(new MessageChannel().port1)
    for (const one of [chain, remote]) {
      expectTypeOf(one.chainId).toEqualTypeOf<number>()
      expectTypeOf(one.blockTime).toEqualTypeOf<number>()
      expectTypeOf(one.preconfInterval).toEqualTypeOf<number>()
      // @ts-expect-error only a cheat changes it
      one.chainId = 1
    }
  })

  test('a chain has its views, also on a page', async () => {
    const chain = await createChain()
    const remote = await connectChain(new MessageChannel().port1)
    for (const one of [chain, remote]) {
      expectTypeOf([one.standard, one.preconf, one.live]).toEqualTypeOf<Provider[]>()
    }
  })

  test('a chain has methods for cheats, also on a page', async () => {
    const chain = await createChain()
    const remote = await connectChain(new MessageChannel().port1)
    for (const one of [chain, remote]) {
      expectTypeOf(one.mine).toEqualTypeOf<(blocks?: number) => Promise<SealedBlock>>()
      expectTypeOf(one.increaseTime).toEqualTypeOf<(seconds: number) => Promise<void>>()
      expectTypeOf(one.setBalance).toEqualTypeOf<(address: Address, wei: bigint) => Promise<void>>()
      expectTypeOf(one.setCode).toEqualTypeOf<(address: Address, code: Hex) => Promise<void>>()
      expectTypeOf(one.setStorageAt).toEqualTypeOf<
        (address: Address, slot: Hex | bigint, value: Hex | bigint) => Promise<void>
      >()
      expectTypeOf(one.impersonateAccount).toEqualTypeOf<(address: Address) => Promise<void>>()
      expectTypeOf(one.stopImpersonatingAccount).toEqualTypeOf<(address: Address) => Promise<void>>()
      expectTypeOf(one.deal).toEqualTypeOf<
        (token: Address, address: Address, amount: bigint) => Promise<void>
      >()
      // @ts-expect-error wei are a bigint, since a number cannot hold one ether
      one.setBalance('0x', 1)
    }
  })

  test('a chain has a first account, and may have more', async () => {
    const chain = await createChain()
    const [alice, bob] = chain.accounts
    expectTypeOf(alice).toEqualTypeOf<DevAccount>()
    expectTypeOf(chain.accounts[0].privateKey).toEqualTypeOf<`0x${string}`>()
    expectTypeOf(bob).toEqualTypeOf<DevAccount | undefined>()
    const remote = await connectChain(new MessageChannel().port1)
    expectTypeOf(remote.accounts).toEqualTypeOf(chain.accounts)
  })
})
