import { method } from '../method.ts'

/** Returns whether automine or interval mining is on. */
export const eth_mining = method([], ({ control }) => control.cheats.mining.isOn)
