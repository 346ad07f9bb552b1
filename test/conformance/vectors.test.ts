import { numberToHex } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createChain,
  createManualClock,
  type PresealChain,
  type PresealRpcBlock,
  type PresealRpcTransaction,
} from '../../src/index.ts'
import { EXECUTION_APIS } from './served.ts'
import { ask, VectorFolder } from './vectors.ts'

describe('execution-apis vectors', async () => {
  if (EXECUTION_APIS === undefined) {
    it.skip('answers the vectors of execution-apis: PRESEAL_VECTORS names no folder', () => {})
  } else {
    const vectors = await VectorFolder.open(EXECUTION_APIS)
    const start = () =>
      createChain({
        ...vectors.chain,
        mining: 'manual',
        clock: createManualClock(),
        blobs: true,
        dialect: 'geth',
      })

    describe('on standard, in the dialect of go-ethereum', () => {
      let chain: PresealChain
      beforeAll(async () => {
        chain = await start()
      })
      afterAll(() => chain.close())

      it('has the head that the vectors were recorded on', async () => {
        const head = await chain.standard.request({
          method: 'eth_getBlockByNumber',
          params: ['latest', false],
        })
        expect(head?.hash).toBe(vectors.head)
      })

      it('answers every block, transaction and receipt of the chain as the schemas require', async () => {
        const invalid: unknown[] = []
        const read = async (method: string, ...params: readonly unknown[]): Promise<unknown> => {
          const answer = await ask(chain.standard, { method, params })
          if ('error' in answer) {
            invalid.push({ method, params, answer })
            return null
          }
          const differences = vectors.validate(method, answer.result)
          if (differences.length > 0) invalid.push({ method, params, differences })
          return answer.result
        }
        const head = Number(await read('eth_blockNumber'))
        let transactions = 0
        for (let number = 0; number <= head; number++) {
          const at = numberToHex(number)
          const block = (await read(
            'eth_getBlockByNumber',
            at,
            true,
          )) as PresealRpcBlock<PresealRpcTransaction>
          const hashes = block.transactions.map(({ hash }) => hash)
          expect(await read('eth_getBlockByHash', block.hash, false)).toEqual({
            ...block,
            transactions: hashes,
          })
          const receipts = await read('eth_getBlockReceipts', at)
          expect(await Promise.all(hashes.map((hash) => read('eth_getTransactionReceipt', hash)))).toEqual(
            receipts,
          )
          for (const [index, tx] of block.transactions.entries()) {
            expect(await read('eth_getTransactionByHash', tx.hash)).toEqual(tx)
            expect(await read('eth_getTransactionByBlockNumberAndIndex', at, numberToHex(index))).toEqual(tx)
          }
          transactions += hashes.length
        }
        expect(invalid).toEqual([])
        expect(transactions).toBeGreaterThan(100)
      })

      it.each(vectors.vectors.map((vector) => [vector.name, vector] as const))(
        '%s',
        async (_name, vector) => {
          expect(await vectors.run(vector, chain.standard)).toEqual([])
        },
      )
    })

    it('answers them on preconf too, except that the number after the head is the preconf block there', async () => {
      const chain = await start()
      const next = numberToHex(Number(await chain.standard.request({ method: 'eth_blockNumber' })) + 1)
      const differing: string[] = []
      for (const vector of vectors.vectors) {
        const differences = await vectors.run(vector, chain.preconf)
        if (differences.length > 0 && !JSON.stringify(vector.exchanges).includes(`"${next}"`)) {
          differing.push(vector.name)
        }
      }
      await chain.close()
      expect(differing).toEqual([])
    })
  }
})
