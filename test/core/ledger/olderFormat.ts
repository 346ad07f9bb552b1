/** Databases as they were written before format 1: blocks alone, which each start executed. */

import { bigintToBytes, concatBytes, hexToBytes } from '../../../src/base/bytes.ts'
import { loadCrypto } from '../../../src/base/crypto/crypto.ts'
import { encodeRlp } from '../../../src/base/rlp.ts'
import { BytesDatabase, type Entry, type Key, type Level } from '../../../src/core/ledger/bytesDatabase.ts'
import { DatabaseFormat, readFormat } from '../../../src/core/ledger/format/databaseFormat.ts'
import { KIND, numberOfKey, verified } from '../../../src/core/ledger/format/entries.ts'

const HEAD_KEY = 'preseal:head'

/** Turns a database of format 1 into one without a format; one that has none is left unchanged. */
export async function toOlderFormat(level: object): Promise<void> {
  await loadCrypto()
  await (level as Level).open()
  const db = new BytesDatabase(level as Level)
  const stored = await readFormat(db)
  if (stored === undefined) return
  const { genesis, timestamp, chainId } = stored
  const format = new DatabaseFormat(db, chainId)
  const head = (await format.head(HEAD_KEY))!
  const entries: Entry[] = [
    { key: HEAD_KEY, value: hexToBytes(head.hash) },
    { key: 'preseal:genesis', value: concatBytes(hexToBytes(genesis), bigintToBytes(timestamp)) },
  ]
  const removed: Key[] = ['preseal:format']
  for await (const part of db.range(Uint8Array.of(0), Uint8Array.of(0x10))) {
    for (const { key, value } of part) {
      removed.push(key)
      const kind = (key as Uint8Array)[0]
      if (kind !== KIND.index && kind !== KIND.patch) continue
      const number = numberOfKey(key as Uint8Array)
      const { hash, unsigned, chainId: own } = (await format.index(number))!
      if (kind === KIND.patch) {
        entries.push({ key: `preseal:patch:${hash}`, value: verified(key, value, 'patch') })
        continue
      }
      const pairs = [...unsigned].map(([index, from]) => [bigintToBytes(BigInt(index)), hexToBytes(from)])
      if (pairs.length > 0) entries.push({ key: `preseal:unsigned:${hash}`, value: encodeRlp(pairs) })
      if (own !== undefined) entries.push({ key: `preseal:chainId:${hash}`, value: bigintToBytes(own) })
    }
  }
  await db.write(entries, removed)
}
