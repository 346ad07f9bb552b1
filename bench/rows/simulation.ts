import type { EngineChain } from '../engines/engine.ts'
import { meanOf, perSecond, readReceipts, sendAndMine } from '../measure.ts'
import type { RowGroup } from './row.ts'

/** How long V8 takes on a busy machine to compile the code of a simulated block. */
const WARM_UP_MS = 3_000

/** The peers' errors for unknown methods. */
const UNKNOWN_METHOD = /method (not found|\S+ (is not supported|does not exist))/i

interface SimulatedBlock {
  readonly calls: readonly { readonly status: string; readonly logs: readonly unknown[] }[]
}

export const simulation: RowGroup = {
  name: 'simulation',
  rows: [
    {
      label: 'eth_simulateV1, a block of 10 ERC-20 transfers',
      unit: 'ops/s',
    },
    { label: 'eth_createAccessList of an ERC-20 transfer', unit: 'ops/s' },
  ],

  async measure(engine, { accounts, token }) {
    const chain = await engine.create({ accounts })
    await readReceipts(chain, await sendAndMine(chain, token.setup))

    /** The senders take turns, so that consecutive requests differ. */
    const callBy = (sender: number, data: string | undefined) => {
      const from = accounts.addresses[sender % accounts.addresses.length]
      return { from, to: token.address, data }
    }
    const simulate = (turn: number) => {
      const calls = token.transferToEach.map((data, index) => callBy(turn + index, data))
      return chain.request('eth_simulateV1', [{ blockStateCalls: [{ calls }], validation: false }, 'latest'])
    }
    const createAccessList = (turn: number) =>
      chain.request('eth_createAccessList', [callBy(turn, token.transfer), 'latest'])

    const rates = [
      await rateOf(simulate, (result) => {
        const [block] = result as SimulatedBlock[]
        const done = block?.calls.filter(({ status, logs }) => status === '0x1' && logs.length === 1)
        return done?.length === token.transferToEach.length
      }),
      await rateOf(createAccessList, (result) => {
        const { accessList } = result as { accessList: { storageKeys: string[] }[] }
        return accessList.length === 1 && accessList[0]?.storageKeys.length === 2
      }),
    ]
    await chain.close()
    return rates
  },
}

/** Calls per second; null if the engine does not have the method. */
async function rateOf(
  call: (turn: number) => ReturnType<EngineChain['request']>,
  isRight: (result: unknown) => boolean,
): Promise<number | null> {
  const checked = async (turn: number) => {
    const result = await call(turn)
    if (!isRight(result)) throw new Error(`an unexpected answer: ${JSON.stringify(result)}`)
  }
  try {
    await checked(0)
  } catch (error) {
    if (error instanceof Error && UNKNOWN_METHOD.test(error.message)) return null
    throw error
  }
  return perSecond(await meanOf(checked, WARM_UP_MS))
}
