/* setting.h - settings in messages.
 * How users know a setting is for the program to say: as an option, or as a constant of dragoman.h. So a message has
 * SETTING(TO) in the place of the name, for DRAGOMAN_TO, and the functions of dragoman.h put the name there
 * (translator/public_functions.c). Unicode sets both characters aside for a program's own use: no text has them. */
#ifndef DRAGOMAN_SETTING_H
#define DRAGOMAN_SETTING_H

#define SETTING_BEGIN "\uFDD0"
#define SETTING_END   "\uFDD1"
#define SETTING(name) SETTING_BEGIN #name SETTING_END

#endif
