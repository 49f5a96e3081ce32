# Clocks are of the day that the head names; what is of another day has its date.
day=1700006400000000000 # 2023-11-15, 00:00
printf 'path\tstart\tend\ttype\tvalue\n' >states.tsv
printf 'lamp\t%d\t%d\tint\t%d\n' $((day - 5)) $((day - 1)) 1 $day $((day + 9)) 2 $((day + 10)) $((day + 86400000000000 + 5)) 3 >>states.tsv
histree load -q -o store states.tsv
histree states store --from +0 --to +1h lamp
histree states store --from +0 --to +1h lamp --columns end,value
histree states --numbers store lamp --columns path,start,end,max
histree states store --from +0 --to +1h lamp --format tsv
# A clock is a time of the first day, as any that is given.
histree states store --at 23:59:59.999999996 lamp
# The first day of all has begun before the first time.
echo '{"path":"a","start":-9223372036854775800,"end":-9223372036854775700,"type":"int","value":3}' >early.json
histree load -q -o early early.json
histree states early
